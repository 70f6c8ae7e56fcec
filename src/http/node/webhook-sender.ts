import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { addressWithin, isPublicAddress } from '../../networks/networks.ts'
import type { WebhookSender } from '../../webhooks/model.ts'
import { lookupWithin } from './public-lookup.ts'

const longestCallMs = 10_000

/**
 * Sends webhooks to public addresses, and to those that are allowed: hosts, addresses or networks (`10.0.0.0/8`). A host
 * that leads to another address is refused when it is looked up, and redirects are not followed.
 *
 * @example
 * ```ts
 * import { webhookSender } from 'plinth/node'
 *
 * const sender = webhookSender({ allow: ['ci.example.internal'] })
 * sender.problem(new URL('http://169.254.169.254/latest')) // '169.254.169.254 is a private address, which is not allowed'
 * sender.problem(new URL('https://ci.example.internal/hook')) // undefined
 * ```
 */
export function webhookSender({
  allow = [],
}: {
  readonly allow?: readonly string[] | undefined
} = {}): WebhookSender {
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (allow.length > 0 && addressWithin(allow, address))
  const refused = (host: string) => `${host} is a private address, which is not allowed`
  const lookup = lookupWithin(isAllowed, (host) => new Error(refused(host)))
  return {
    problem: ({ hostname }) => {
      if (allow.includes(hostname)) return undefined
      const host = hostname.replace(/^\[|\]$/g, '')
      const isAddress = /^[\d.]+$|:/.test(host)
      return (isAddress && !isAllowed(host)) || /(?:^|\.)localhost\.?$/.test(host) ? refused(host) : undefined
    },
    post: (url, headers, body) =>
      new Promise((resolve, reject) => {
        const request = (url.protocol === 'https:' ? tlsRequest : plainRequest)(
          url,
          {
            method: 'POST',
            headers: { ...headers, 'content-length': Buffer.byteLength(body) },
            signal: AbortSignal.timeout(longestCallMs),
            ...(allow.includes(url.hostname) ? {} : { lookup }),
          },
          (answer) => {
            resolve(answer.statusCode ?? 0)
            // Only the status counts.
            answer.destroy()
          },
        )
        request.on('error', reject)
        request.end(body)
      }),
  }
}
