/** Scheme and host, then perhaps a path; line breaks, which the host's URL drops without a word, are nowhere. */
const shape = /^https?:\/\/[^\p{Cc}\s/\\?#]+[^\p{Cc}?#]*$/iu

/**
 * What the addresses that a service hands out begin with, without a last slash.
 *
 * @throws TypeError for what is no such address
 */
export function baseUrlOf(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined) return undefined
  if (!shape.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(
      `baseUrl is ${JSON.stringify(baseUrl)}: give scheme and host, as in https://boxes.example.com, and the path of the service if it has one`,
    )
  return baseUrl.replace(/\/+$/, '')
}
