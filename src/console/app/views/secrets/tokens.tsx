import { useSignal } from '@preact/signals'
import { useResource } from '../../data/resource.ts'
import { setToken, tokens } from '../../data/tokens.ts'
import { Action, ActionForm } from '../../ui/action.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { secretsCall, type TokenDetail } from './api.ts'
import { Login } from './login.tsx'
import { Sealable } from './seal.tsx'

/** How a token is identified: by its text, or by its accessor, which grants no rights. */
const names = ['accessor', 'token'] as const
type Named = { readonly by: (typeof names)[number]; readonly text: string }

const suffixOf = ({ by }: Named): string => (by === 'token' ? '' : '-accessor')

const on = <Data,>(what: 'lookup' | 'renew' | 'revoke', named: Named): Promise<Data> =>
  secretsCall<Data>(`auth/token/${what}${suffixOf(named)}`, {
    method: 'POST',
    body: { [named.by]: named.text },
  })

/** The current token, and others: look up, renew, revoke. */
export default function Tokens() {
  const listed = useSignal(0)
  return (
    <Sealable title={<h1>Tokens</h1>}>
      {tokens.value.secrets === undefined ? (
        <Login />
      ) : (
        <>
          <OwnToken />
          <h2>Another token</h2>
          <OtherToken
            changed={() => {
              listed.value += 1
            }}
          />
          <Accessors version={listed.value} />
        </>
      )}
    </Sealable>
  )
}

function OwnToken() {
  const own = useResource(
    async ({ signal }) => ({ value: await secretsCall<TokenDetail>('auth/token/lookup-self', { signal }) }),
    [],
  )
  const { value, problem } = own.state.value
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return <p class="muted">Loading …</p>
  return (
    <>
      <TokenFacts of={value} />
      <p class="actions">
        {value.renewable && (
          <Action
            kind="quiet"
            done="The token is renewed."
            run={async () => {
              await secretsCall('auth/token/renew-self', { method: 'POST', body: {} })
              own.reload()
            }}
          >
            Renew
          </Action>
        )}
        <button type="button" class="quiet" onClick={() => setToken('secrets', '')}>
          Forget
        </button>
        <Action
          kind="danger"
          confirm="Revoke the token in use? You will have to log in again."
          done="The token is revoked."
          run={async () => {
            await secretsCall('auth/token/revoke-self', { method: 'POST', body: {} })
            setToken('secrets', '')
          }}
        >
          Revoke
        </Action>
      </p>
    </>
  )
}

function OtherToken({ changed }: { readonly changed: () => void }) {
  const by = useSignal<Named['by']>('accessor')
  const text = useSignal('')
  const found = useSignal<{ readonly named: Named; readonly detail: TokenDetail } | undefined>(undefined)
  const look = async (named: Named) => {
    found.value = undefined
    found.value = { named, detail: await on<TokenDetail>('lookup', named) }
  }
  return (
    <>
      <ActionForm action="Look up" run={() => look({ by: by.value, text: text.value.trim() })}>
        <Choice label="By" value={by} options={names} />
        <TextField label="Token or accessor" text={text} isSecret={by.value === 'token'} />
      </ActionForm>
      {found.value && (
        <>
          <TokenFacts of={found.value.detail} />
          <FoundActions
            {...found.value}
            look={look}
            gone={() => {
              found.value = undefined
              changed()
            }}
          />
        </>
      )}
    </>
  )
}

function FoundActions({
  named,
  detail,
  look,
  gone,
}: {
  readonly named: Named
  readonly detail: TokenDetail
  readonly look: (named: Named) => Promise<void>
  readonly gone: () => void
}) {
  return (
    <p class="actions">
      {detail.renewable && (
        <Action
          kind="quiet"
          done="The token is renewed."
          run={async () => {
            await on('renew', named)
            await look(named)
          }}
        >
          Renew this token
        </Action>
      )}
      <Action
        kind="danger"
        confirm="Revoke this token and its descendants?"
        done="The token is revoked."
        run={async () => {
          await on('revoke', named)
          gone()
        }}
      >
        Revoke this token
      </Action>
    </p>
  )
}

const TokenFacts = ({ of }: { readonly of: TokenDetail }) => (
  <Facts
    of={[
      ['Name', of.display_name],
      ['Policies', of.policies.join(', ')],
      ['Expires', of.ttl === 0 ? 'never' : `in ${of.ttl.toLocaleString('en')} s`],
      ['Renewable', of.renewable ? 'yes' : 'no'],
      ['Kind', of.type],
      ['Made at', of.path],
      ['Accessor', <code key="accessor">{of.accessor}</code>],
    ]}
  />
)

/** The accessors of all tokens, for users who may list them. */
function Accessors({ version }: { readonly version: number }) {
  const { value } = useResource(
    async ({ signal }) => ({
      value: await secretsCall<{ readonly keys: readonly string[] }>('auth/token/accessors', {
        query: { list: 'true' },
        signal,
      }),
    }),
    [version],
  ).state.value
  if (!value) return null
  return (
    <>
      <h2>Accessors</h2>
      <Rows
        label="Accessors"
        rows={value.keys}
        keyOf={(accessor) => accessor}
        columns={[{ title: 'Accessor', cell: (accessor) => <code>{accessor}</code> }]}
      />
    </>
  )
}
