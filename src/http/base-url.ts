/** Scheme and host, then perhaps a path; line breaks, which the host's URL drops without a word, are nowhere. */
const shape = /^https?:\/\/[^\p{Cc}\s/\\?#]+[^\p{Cc}?#]*$/iu

/**
 * What the addresses that a service hands out begin with, without a last slash.
 *
 * @param option - what the address was given as, for the message
 *
 * @throws TypeError for what is no such address
 */
export function baseUrlOf(baseUrl: string | undefined, option = 'baseUrl'): string | undefined {
  if (baseUrl === undefined) return undefined
  if (!shape.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(
      `${option} is ${JSON.stringify(baseUrl)}: give scheme and host, as in https://boxes.example.com, and the path of the service if it has one`,
    )
  return baseUrl.replace(/\/+$/, '')
}
