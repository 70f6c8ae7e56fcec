import type { AllocationStub } from 'plinth/scheduler'
import { useRoute } from 'preact-iso/router'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonButton } from '../../ui/json-button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { View } from '../../ui/view.tsx'
import { Allocations } from './allocations.tsx'
import { readScheduler } from './list.ts'
import { type NodeStub, statusOf } from './node-stub.ts'

interface NodeDetail extends NodeStub {
  readonly Attributes?: Readonly<Record<string, string>> | null
  readonly Meta?: Readonly<Record<string, string>> | null
  readonly StatusDescription: string
}

/** One node, live: its resources, its allocations, draining and eligibility. */
export default function NodeView() {
  const { params } = useRoute()
  const id = params['id'] ?? ''
  const { value, problem } = useResource(
    (asked) => readScheduler<NodeDetail>(`/v1/node/${id}`, {}, asked),
    [id],
  ).state.value
  const allocations = useResource(
    (asked) => readScheduler<readonly AllocationStub[]>(`/v1/node/${id}/allocations`, {}, asked),
    [id],
  ).state.value
  if (!value)
    return (
      <View title="Node">
        {problem ? <Problem problem={problem} service="scheduler" /> : <p class="muted">Loading …</p>}
      </View>
    )
  return (
    <View title={value.Name || id} actions={<NodeActions id={id} node={value} />}>
      {problem && <Problem problem={problem} service="scheduler" />}
      <NodeFacts id={id} node={value} />
      <h2>Allocations</h2>
      {allocations.value && <Allocations rows={allocations.value} of="node" />}
      <h2>Attributes</h2>
      <Attributes of={{ ...value.Attributes, ...value.Meta }} />
    </View>
  )
}

interface OfNode {
  readonly id: string
  readonly node: NodeDetail
}

const NodeFacts = ({ id, node }: OfNode) => (
  <Facts
    of={[
      ['Status', <Status key="status" of={statusOf(node)} />],
      ['Pool', node.NodePool],
      ['Datacenter', node.Datacenter],
      ['Class', node.NodeClass || '–'],
      ['CPU', `${node.NodeResources?.Cpu?.CpuShares ?? '–'} MHz`],
      ['Memory', `${node.NodeResources?.Memory?.MemoryMB ?? '–'} MB`],
      ['ID', <code key="id">{id}</code>],
    ]}
  />
)

/** The buttons that drain a node, and that keep new allocations away from it. */
function NodeActions({ id, node }: OfNode) {
  const { Name, Drain, SchedulingEligibility } = node
  const isEligible = SchedulingEligibility === 'eligible'
  return (
    <>
      <JsonButton name={Name || id} value={node} />
      {Drain ? (
        <Action kind="quiet" done="The node no longer drains." run={() => drain(id, null)}>
          Stop draining
        </Action>
      ) : (
        <Action
          kind="danger"
          confirm={{
            title: `Drain ${Name}?`,
            text: 'Its allocations move to other nodes within an hour, then the rest is stopped. No new ones are placed here.',
            action: 'Drain',
          }}
          done="The node is draining."
          run={() => drain(id, { Deadline: 3_600_000_000_000, IgnoreSystemJobs: false })}
        >
          Drain
        </Action>
      )}
      <Action
        kind="quiet"
        run={() =>
          call('scheduler', `/v1/node/${id}/eligibility`, {
            method: 'POST',
            body: { NodeID: id, Eligibility: isEligible ? 'ineligible' : 'eligible' },
          })
        }
      >
        {isEligible ? 'Make ineligible' : 'Make eligible'}
      </Action>
    </>
  )
}

const drain = (id: string, spec: Readonly<Record<string, unknown>> | null) =>
  call('scheduler', `/v1/node/${id}/drain`, {
    method: 'POST',
    body: { NodeID: id, DrainSpec: spec, MarkEligible: spec === null },
  })

const Attributes = ({ of }: { readonly of: Readonly<Record<string, string>> }) => (
  <table aria-label="Attributes" class="pairs">
    <tbody>
      {Object.entries(of)
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([name, text]) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{text}</td>
          </tr>
        ))}
    </tbody>
  </table>
)
