import { useSignal } from '@preact/signals'
import { compileAcl } from '../../../../secrets/acl/compile.ts'
import type { AclRequest } from '../../../../secrets/acl/decide.ts'
import { explainAccess } from '../../../../secrets/acl/explain-access.ts'
import { parsePolicy } from '../../../../secrets/acl/parse-policy.ts'
import { viewPath } from '../../data/base-path.ts'
import { Action, ActionForm } from '../../ui/action.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Status } from '../../ui/status.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { secretsCall } from './api.ts'

const operations = ['read', 'create', 'update', 'patch', 'delete', 'list', 'scan'] as const
const subjects = ['my token', 'another token', 'an accessor', 'policies'] as const

interface Rule {
  readonly policy: string | null
  readonly rule: string | null
  readonly line: number | null
}

interface Explanation extends Rule {
  readonly allowed: boolean
  readonly capability: string | null
  readonly needed: string | null
  readonly text: string
}

interface Who {
  readonly policies: readonly Rule[]
  readonly tokens: readonly (Rule & { readonly accessor: string; readonly display_name: string })[]
  readonly more: boolean
}

/** What a policy that is not saved yet would decide, alone. */
function tried(
  { name, text }: { readonly name: string; readonly text: string },
  question: AclRequest,
): Explanation {
  const read = parsePolicy(name, text)
  if (!read.ok) throw new Error(read.refusal.message)
  return explainAccess(compileAcl([{ policy: read.value }]), question)
}

/** What names the subject of a test. */
const nameLabels: Readonly<Record<(typeof subjects)[number], string>> = {
  'my token': '',
  'another token': 'Token',
  'an accessor': 'Accessor',
  policies: 'Policies, separated by commas',
}

/** Shows the capabilities of a token or of some policies at a path, and the deciding rule. */
export function PolicyTester({
  draft,
}: {
  readonly draft?: { readonly name: string; readonly text: string }
}) {
  const path = useSignal('')
  const operation = useSignal<(typeof operations)[number]>('read')
  const subject = useSignal<(typeof subjects)[number]>(subjects[0])
  const named = useSignal('')
  const explained = useSignal<Explanation | undefined>(undefined)
  const who = useSignal<Who | undefined>(undefined)
  const question = () => ({ path: path.value.trim(), operation: operation.value })
  const ask = async () => {
    explained.value = undefined
    who.value = undefined
    explained.value = draft
      ? tried(draft, question())
      : await secretsCall<Explanation>('sys/internal/acl/explain', {
          method: 'POST',
          body: { ...question(), ...subjectOf(subject.value, named.value.trim()) },
        })
  }
  const askWho = async () => {
    explained.value = undefined
    who.value = undefined
    who.value = await secretsCall<Who>('sys/internal/acl/who', { method: 'POST', body: question() })
  }
  const isNamed = subject.value !== 'my token'
  return (
    <>
      <ActionForm
        action="Test"
        isLine={false}
        run={ask}
        extra={
          draft === undefined && (
            <Action kind="quiet" run={askWho}>
              Who has access?
            </Action>
          )
        }
      >
        <TextField label="Path" text={path} placeholder="secret/data/app" />
        <Choice label="Operation" value={operation} options={operations} />
        {draft === undefined && <Choice label="Access of" value={subject} options={subjects} />}
        {isNamed && (
          <TextField
            label={nameLabels[subject.value]}
            text={named}
            isSecret={subject.value === 'another token'}
          />
        )}
      </ActionForm>
      {explained.value && <Answer explanation={explained.value} isDraft={draft !== undefined} />}
      {who.value && <Allowed who={who.value} />}
    </>
  )
}

function subjectOf(subject: (typeof subjects)[number], named: string): Readonly<Record<string, unknown>> {
  switch (subject) {
    case 'my token':
      return {}
    case 'another token':
      return { token: named }
    case 'an accessor':
      return { accessor: named }
    case 'policies':
      return { policies: named.split(',').map((name) => name.trim()) }
    default:
      return subject satisfies never
  }
}

function Answer({ explanation, isDraft }: { readonly explanation: Explanation; readonly isDraft: boolean }) {
  const { allowed, needed, text } = explanation
  return (
    <div class="item" role="status">
      <p>
        <Status of={allowed ? 'allowed' : 'denied'} /> {text.replace(/^\w+: /, '')}
      </p>
      <p>
        Rule:{' '}
        {isDraft && explanation.rule !== null ? (
          <>
            <code>{explanation.rule}</code>, line {explanation.line}
          </>
        ) : (
          <RuleLink {...explanation} />
        )}
        {!allowed && needed && (
          <>
            . Missing capability: <code>{needed}</code>
          </>
        )}
      </p>
    </div>
  )
}

/** The rule that decides, as a link to its policy. */
function RuleLink({ policy, rule, line }: Rule) {
  if (policy === null) return <>none matches</>
  const query = new URLSearchParams({ name: policy, ...(line === null ? {} : { line: String(line) }) })
  return (
    <>
      <a href={viewPath(`/secrets/policies?${query}`)}>{policy}</a>
      {rule !== null && (
        <>
          {' '}
          <code>{rule}</code>
        </>
      )}
      {line !== null && `, line ${line}`}
    </>
  )
}

const Allowed = ({ who }: { readonly who: Who }) => (
  <div class="item" role="status">
    <p>
      Policies:{' '}
      {who.policies.length === 0
        ? 'none allows it alone.'
        : who.policies.map(({ policy }) => policy).join(', ')}
    </p>
    {who.tokens.length === 0 ? (
      <p>No token has this access.</p>
    ) : (
      <Rows
        label="Tokens with access"
        rows={who.tokens}
        keyOf={({ accessor }) => accessor}
        columns={[
          { title: 'Name', cell: ({ display_name }) => display_name },
          { title: 'By rule', cell: (token) => <RuleLink {...token} /> },
          { title: 'Accessor', cell: ({ accessor }) => <code>{accessor}</code>, isMinor: true },
        ]}
      />
    )}
    {who.more && <p class="muted">Only the first tokens are listed.</p>}
  </div>
)
