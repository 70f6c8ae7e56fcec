import { type Signal, useSignal } from '@preact/signals'
import { call, Problem } from '../../data/call.ts'
import { pause } from '../../data/resource.ts'
import { setToken } from '../../data/tokens.ts'
import { ActionForm } from '../../ui/action.tsx'
import { Choice } from '../../ui/choice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TokenField } from '../../ui/token-field.tsx'
import { escapedPath, secretsCall } from './api.ts'
import { beginOidc, newNonce } from './oidc.ts'

const methods = ['userpass', 'oidc', 'idp'] as const
type Method = (typeof methods)[number]
const titles: Readonly<Record<Method, string>> = {
  userpass: 'userpass',
  oidc: 'OIDC',
  idp: 'identity provider',
}
/** Where each method is mounted by default. */
const mounts: Readonly<Record<Method, string>> = { userpass: 'userpass', oidc: 'oidc', idp: 'idp' }

/** The ways to sign in: a token, a user name with its password, or an identity provider. */
export function Login() {
  return (
    <>
      <TokenField service="secrets" />
      <h2>Or sign in with an auth method</h2>
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
  const mountPath = () => mount.value.replace(/^\/+|\/+$/g, '') || mounts[method.value]
  const logIn = async () => {
    if (method.value === 'oidc') return beginOidc(mountPath(), username.value.trim())
    const name = username.value.trim()
    if (name === '') throw new Error('Enter your user name.')
    const at = `/v1/auth/${escapedPath(mountPath())}`
    const nonce = isProvider ? newNonce() : undefined
    const over = new AbortController()
    if (nonce !== undefined) void showNumber(`${at}/verify/${nonce}`, over.signal, number)
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
  return (
    <ActionForm action="Sign in" isLine={false} run={logIn}>
      <Choice label="Method" value={method} options={methods} nameOf={(each) => titles[each]} />
      {method.value === 'oidc' ? (
        <TextField label="Role" text={username} placeholder="the default role of the mount" />
      ) : (
        <>
          <TextField label="User name" text={username} />
          <TextField label="Password" text={password} isSecret />
        </>
      )}
      {isProvider && <TextField label="Passcode, if the provider asks for one" text={passcode} />}
      <TextField label="Mount" text={mount} placeholder={mounts[method.value]} />
      {number.value !== undefined && (
        <p role="status">
          Choose <strong>{number.value}</strong> on your other device.
        </p>
      )}
    </ActionForm>
  )
}

/** Shows the number to choose on another device, if the provider requires one. */
async function showNumber(path: string, over: AbortSignal, number: Signal<number | undefined>) {
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
