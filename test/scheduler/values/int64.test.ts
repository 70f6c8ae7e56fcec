import { describe, expect, it } from 'vitest'
import { given } from '../harness.ts'

const year = 8760 * 3600e9
/** The greatest number of 64 bits, which is how long "for ever" is, and the least. */
const [forever, immediately] = ['9223372036854775807', '-9223372036854775808']

const web = (group: string) => `{"Job": {"ID": "web", "TaskGroups": [{"Name": "app", ${group},
  "Tasks": [{"Name": "t"}]}]}}`

/** A job registered with a text, as JSON.parse never made it, and its first group as text again. */
async function registered(group: string) {
  const { scheduler, get } = await given()
  const url = 'http://service.test/v1/jobs'
  const { status } = await scheduler.fetch(new Request(url, { method: 'PUT', body: web(group) }))
  return { status, text: (await get('/v1/job/web')).text }
}

describe('durations are nanoseconds, in whole numbers of 64 bits', () => {
  it.each([
    ['a year, which JavaScript has a number for', String(year), String(year)],
    ['one nanosecond more, for which it has not', '31536000000000001', '31536000000000000'],
    ['the last number of 64 bits that it has', '9223372036854774784', '9223372036854775000'],
    ['the greatest of 64 bits: it could not be read back as 2^63', forever, '9223372036854775000'],
  ])('%s', async (_, sent, answered) => {
    const { status, text } = await registered(`"MaxClientDisconnect": ${sent}`)
    expect([status, /"MaxClientDisconnect":(\d+)/.exec(text)?.[1]]).toEqual([200, answered])
    expect(BigInt(answered)).toBeLessThan(2n ** 63n)
  })
  it('everywhere', async () => {
    const group = `"ShutdownDelay": ${year}, "Update": {"Stagger": ${year}, "ProgressDeadline": ${year}},
      "RestartPolicy": {"Interval": ${year}}, "ReschedulePolicy": {"MaxDelay": ${year}, "Unlimited": true}`
    const { status, text } = await registered(group)
    expect(status).toBe(200)
    expect(text.match(new RegExp(`:${year}\\b`, 'g'))).toHaveLength(5)
  })
  it.each(['0.5', '9223372036854777856', '1e30', '"1h"'])('and nothing else: not %s', async (sent) => {
    const { status } = await registered(`"MaxClientDisconnect": ${sent}`)
    expect(status).toBe(400)
  })
  it('as a job file says them', async () => {
    const { send, get, ids } = await given()
    const JobHCL = `job "web" {
      group "app" {
        max_client_disconnect = "8760h"
        task "t" {}
      }
    }`
    const { json } = await send('PUT', '/v1/jobs/parse', { JobHCL })
    expect(json).toMatchObject({ TaskGroups: [{ MaxClientDisconnect: year }] })
    expect((await send('PUT', '/v1/jobs', { Job: json })).status).toBe(200)
    expect((await get('/v1/job/web')).json).toMatchObject({ TaskGroups: [{ MaxClientDisconnect: year }] })
    expect(await ids(`/v1/jobs?filter=TaskGroups.0.MaxClientDisconnect+%3D%3D+${year}`)).toEqual(['web'])
  })
  it('as a drain takes them: until then, or immediately', async () => {
    const work = { jobs: [{ ID: 'web' }], allocations: [{ ID: 'a1', JobID: 'web', NodeID: 'n1' }] }
    const { get } = await given({ nodes: [{ ID: 'n1' }], ...work })
    const drained = async (deadline: string) => {
      const body = `{"DrainSpec": {"Deadline": ${deadline}}}`
      expect((await get('/v1/node/n1/drain', { method: 'PUT', body })).status).toBe(200)
      const { DrainStrategy } = (await get('/v1/node/n1')).json as {
        DrainStrategy: { readonly ForceDeadline: string } | null
      }
      return DrainStrategy?.ForceDeadline
    }
    expect(await drained(String(year))).toBe('2027-01-01T00:00:00.000Z')
    expect(await drained(forever)).toMatch(/^2318-/)
    expect(await drained(immediately)).toBeUndefined()
  })
})
