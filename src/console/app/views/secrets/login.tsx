import { useSignal } from '@preact/signals'
import { call, Problem } from '../../data/call.ts'
import { pause } from '../../data/resource.ts'
import { setToken } from '../../data/tokens.ts'
import { ActionForm } from '../../ui/action.tsx'
import { Choice } from '../../ui/choice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TokenField } from '../../ui/token-field.tsx'
import { escapedPath, secretsCall } from './api.ts'

const methods = ['userpass', 'idp'] as const
type Method = (typeof methods)[number]
const titles: Readonly<Record<Method, string>> = { userpass: 'userpass', idp: 'identity provider' }

/** The two ways to sign in: a token, or a user name with its password. */
export function Login() {
  return (
    <>
      <TokenField service="secrets" />
      <h2>Or sign in with a user name</h2>
      <UserLogin />
    </>
  )
}

function UserLogin() {
  const method = useSignal<Method>('userpass')
  const mount = useSignal('')
  const username = useSignal('')
  const password = useSignal('')
  const passcode = useSignal('')
  const number = useSignal<number | undefined>(undefined)
  const isProvider = method.value === 'idp'
  const logIn = async () => {
    const name = username.value.trim()
    if (name === '') throw new Error('Enter your user name.')
    const at = `/v1/auth/${escapedPath(mount.value.replace(/^\/+|\/+$/g, '') || method.value)}`
    const nonce = isProvider ? newNonce() : undefined
    const over = new AbortController()
    if (nonce !== undefined) void showNumber(`${at}/verify/${nonce}`, over.signal)
    try {
      const { body } = await call<{ readonly auth: { readonly client_token: string } }>(
        'secrets',
        `${at}/login/${escapedPath(name)}`,
        {
          method: 'POST',
          body: { password: password.value, ...(isProvider ? { totp: passcode.value.trim(), nonce } : {}) },
        },
      )
      setToken('secrets', body.auth.client_token)
    } finally {
      over.abort()
      number.value = undefined
      password.value = ''
      passcode.value = ''
    }
  }
  /** Shows the number to choose on another device, if the provider requires one. */
  const showNumber = async (path: string, over: AbortSignal) => {
    while (!over.aborted) {
      try {
        const { correct_answer } = await secretsCall<{ readonly correct_answer: number }>(
          path.slice('/v1/'.length),
          {
            signal: over,
          },
        )
        number.value = correct_answer
      } catch (error) {
        if (!(error instanceof Problem)) return
      }
      await pause(1000, over)
    }
  }
  return (
    <ActionForm action="Sign in" isLine={false} run={logIn}>
      <Choice label="Method" value={method} options={methods} nameOf={(each) => titles[each]} />
      <TextField label="User name" text={username} />
      <TextField label="Password" text={password} isSecret />
      {isProvider && <TextField label="Passcode, if the provider asks for one" text={passcode} />}
      <TextField label="Mount" text={mount} placeholder={method.value} />
      {number.value !== undefined && (
        <p role="status">
          Choose <strong>{number.value}</strong> on your other device.
        </p>
      )}
    </ActionForm>
  )
}

/** The nonce of a login in progress. */
const newNonce = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
