import { type Signal, useSignal } from '@preact/signals'
import { systemEnv } from '../../../../kernel/system-env.ts'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { setToken, tokens } from '../../data/tokens.ts'
import { Action, ActionForm } from '../../ui/action.tsx'
import { Choice } from '../../ui/choice.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time } from '../../ui/time.tsx'
import { secretsCall, type TokenDetail, tokensFound } from './api.ts'
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
  const found = useSignal<Found | undefined>(undefined)
  const changed = () => {
    listed.value += 1
  }
  const look = async (named: Named) => {
    found.value = undefined
    found.value = { named, detail: await on<TokenDetail>('lookup', named) }
  }
  return (
    <Sealable title="Tokens">
      {tokens.value.secrets === undefined ? (
        <Login />
      ) : (
        <>
          <OwnToken />
          <h2>Create a token</h2>
          <NewToken created={changed} />
          <h2>Look up a token</h2>
          <OtherToken look={look} found={found} changed={changed} />
          <TokenList version={listed.value} look={look} />
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
          Sign out
        </button>
        <Action
          kind="danger"
          confirm={{
            title: 'Revoke your own token?',
            text: 'The token and its child tokens end now, with their leases. You have to sign in again.',
            action: 'Revoke',
          }}
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

/** A token that was looked up. */
interface Found {
  readonly named: Named
  readonly detail: TokenDetail
}

function OtherToken({
  look,
  found,
  changed,
}: {
  readonly look: (named: Named) => Promise<void>
  readonly found: Signal<Found | undefined>
  readonly changed: () => void
}) {
  const by = useSignal<Named['by']>('accessor')
  const text = useSignal('')
  return (
    <>
      <ActionForm action="Look up" run={() => look({ by: by.value, text: text.value.trim() })}>
        <Choice label="By its" value={by} options={names} />
        <TextField
          label={by.value === 'token' ? 'Token' : 'Accessor'}
          text={text}
          isSecret={by.value === 'token'}
        />
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
        confirm={{
          title: `Revoke ${detail.display_name}?`,
          text: 'The token and its child tokens end now, with their leases.',
          action: 'Revoke',
        }}
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
      ['Expires', <Expiry key="expires" of={of} />],
      ['Renewable', of.renewable ? 'yes' : 'no'],
      ['Type', of.type],
      ['Created by', of.path],
      ['Accessor', <code key="accessor">{of.accessor}</code>],
    ]}
  />
)

/** The tokens of the service, for users who may list them. */
function TokenList({
  version,
  look,
}: {
  readonly version: number
  readonly look: (named: Named) => Promise<void>
}) {
  const word = useSignal('')
  const { value } = useResource(async ({ signal }) => ({ value: await tokensFound(signal) }), [version]).state
    .value
  if (!value) return null
  const shown = value.tokens.filter(({ display_name, accessor, policies, path }) =>
    [display_name, accessor, path, ...policies].some((text) => text.includes(word.value)),
  )
  return (
    <>
      <h2>All tokens</h2>
      <SearchBox
        value={word.value}
        onSearch={(text) => {
          word.value = text
        }}
        onInput={(text) => {
          word.value = text.trim()
        }}
      />
      <p class="muted" role="status">
        {shown.length} of {value.tokens.length}
        {value.isWhole ? '' : ' or more'} tokens; those that expire first are at the top.
      </p>
      <Rows
        label="Tokens"
        rows={shown}
        keyOf={({ accessor }) => accessor}
        columns={[
          {
            title: 'Name',
            cell: ({ display_name, accessor }) => (
              <Action kind="quiet" run={() => look({ by: 'accessor', text: accessor })}>
                {display_name}
                <span class="hidden"> {accessor}</span>
              </Action>
            ),
          },
          { title: 'Policies', cell: ({ policies }) => policies.join(', ') },
          { title: 'Expires', cell: (token) => <Expiry of={token} /> },
          { title: 'Created by', cell: ({ path }) => path, isMinor: true },
          { title: 'Accessor', cell: ({ accessor }) => <code>{accessor}</code>, isMinor: true },
        ]}
      />
    </>
  )
}

const Expiry = ({ of }: { readonly of: TokenDetail }) =>
  of.ttl === 0 ? <>never</> : <Time ms={systemEnv().now + of.ttl * 1000} />

/** Creates a child token of one's own, with less rights or a shorter life. */
function NewToken({ created }: { readonly created: () => void }) {
  const name = useSignal('')
  const policies = useSignal('')
  const ttl = useSignal('1h')
  const uses = useSignal('')
  const made = useSignal('')
  return (
    <>
      <ActionForm
        action="Create"
        isLine={false}
        run={async () => {
          const { body } = await call<{ readonly auth: { readonly client_token: string } }>(
            'secrets',
            '/v1/auth/token/create',
            {
              method: 'POST',
              body: {
                display_name: name.value.trim(),
                ttl: ttl.value.trim(),
                num_uses: numberOfUses(uses.value),
                policies: policies.value.split(',').flatMap((each) => each.trim() || []),
              },
            },
          )
          made.value = body.auth.client_token
          created()
        }}
      >
        <TextField label="Name" text={name} placeholder="ci" />
        <TextField
          label="Policies, separated by commas"
          text={policies}
          placeholder="those of your own token"
        />
        <TextField label="Time to live" text={ttl} />
        <TextField label="Number of uses" text={uses} placeholder="unlimited" />
      </ActionForm>
      {made.value !== '' && (
        <div class="item" role="status">
          The token is shown once: copy it now. <CopyButton text={made.value} what="the new token" isSecret />
        </div>
      )}
    </>
  )
}

function numberOfUses(text: string): number {
  const uses = Number(text)
  if (!Number.isInteger(uses) || uses < 0)
    throw new Error('The number of uses is a whole number; leave it empty for any.')
  return uses
}
