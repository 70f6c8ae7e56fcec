/**
 * The clients of the soak, in a process of their own: so each side needs only its own end of every socket. Told
 * `url watchers last`; says how many answers the busiest watcher took, once all have arrived at the last index.
 */
import { Agent, request } from 'node:http'

const [url, watchers, last] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** One poll, which waits unless it is for index 0: the index it was answered with. */
const poll = (index) =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/node/pools?index=${index}&wait=5m`, { agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(Number(response.headers['x-scheduler-index'])))
    })
    asked.on('error', reject)
    asked.end()
  })

const follow = async () => {
  let index = 1
  let answers = 0
  while (index < Number(last)) {
    const answered = await poll(index)
    if (!(answered > index)) throw new Error(`a watcher went from ${index} to ${answered}`)
    index = answered
    answers += 1
  }
  return answers
}

/**
 * Watchers connect a hundred at a time: the next ones when the server has answered these. A server that has no time to
 * accept holds 511 connections ready, and the kernel resets some of those beyond.
 */
const following = []
while (following.length < Number(watchers)) {
  const group = Array.from({ length: Math.min(100, Number(watchers) - following.length) }, async () => {
    await poll(0)
    // At once, on the connection that is free now: the next group opens its own.
    following.push(follow())
  })
  await Promise.all(group)
}
const answers = await Promise.all(following)
agent.destroy()
process.stdout.write(JSON.stringify({ arrived: answers.length, most: Math.max(...answers) }))
