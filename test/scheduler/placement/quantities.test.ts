import { describe, expect, it } from 'vitest'
import { JobSpec, meetsConstraints, NodeRecord, place } from '../../../src/scheduler/index.ts'

/** Whether a node with one device takes a job with a constraint on it. */
const takes = (attribute: unknown, Operand: string, RTarget: string) => {
  const Attributes = { memory: attribute }
  const device = {
    Vendor: 'nvidia',
    Type: 'gpu',
    Name: 'a',
    Instances: [{ ID: '1', Healthy: true }],
    Attributes,
  }
  const node = NodeRecord.parse({
    ID: 'n1',
    NodeResources: { Cpu: { CpuShares: 1000 }, Memory: { MemoryMB: 1000 }, Devices: [device] },
  })
  const asked = { Name: 'gpu', Constraints: [{ LTarget: '${device.attr.memory}', Operand, RTarget }] }
  const task = { Name: 't', Resources: { CPU: 10, MemoryMB: 10, Devices: [asked] } }
  const job = JobSpec.parse({ ID: 'j', TaskGroups: [{ Name: 'g', Tasks: [task] }] })
  return place({ nodes: [node] }, { job, wanted: { g: 1 } }).placements.length === 1
}

describe('a constraint on a device', () => {
  it.each([
    [{ Int: 4, Unit: 'GiB' }, '<', '10 GiB', true],
    [{ Int: 4, Unit: 'GiB' }, '>=', '10 GiB', false],
    [{ Int: 4096, Unit: 'MiB' }, '=', '4 GiB', true],
    ['1 GB', '<', '1 GiB', true],
    [{ Float: 1.5, Unit: 'GHz' }, '>', '1400 MHz', true],
    [{ Int: 500, Unit: 'mW' }, '<', '1 W', true],
    [{ Int: 9 }, '<', '10', true],
    ['abc', '=', 'abc', true],
    // What cannot be compared meets no constraint.
    [{ Int: 4, Unit: 'GiB' }, '<', '10 GHz', false],
    [{ Int: 4, Unit: 'GiB' }, '!=', '10 GHz', false],
    [{ Int: 4, Unit: 'GiB' }, '<', '10', false],
    [{ Int: 4, Unit: 'GiB' }, '>', 'many', false],
  ])('compares %j %s %s by its unit: %s', (attribute, operand, right, expected) => {
    expect(takes(attribute, operand, right)).toBe(expected)
  })
})

describe('a semantic version', () => {
  it.each([
    ['1.2.3', '>= 1.0', true],
    ['0.9.9', '>= 1.0', false],
    ['1.2.3', '>= 1, < 2', true],
    ['1.2', '>= 1.0', false],
  ])('%s is compared with %s: %s', (version, bound, expected) => {
    const node = NodeRecord.parse({ ID: 'n1', Attributes: { v: version } })
    expect(meetsConstraints(node, [{ LTarget: '${attr.v}', Operand: 'semver', RTarget: bound }])).toBe(
      expected,
    )
  })
})
