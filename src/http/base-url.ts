/** Scheme and host, perhaps with a path; no line breaks, which the host's URL parser drops silently. */
const shape = /^https?:\/\/[^\p{Cc}\s/\\?#]+[^\p{Cc}?#]*$/iu

/**
 * Returns the prefix of a service's URLs, without a trailing slash.
 *
 * @param option - the name of the option, for the message
 *
 * @throws TypeError for an invalid URL
 */
export function baseUrlOf(baseUrl: string | undefined, option = 'baseUrl'): string | undefined {
  if (baseUrl === undefined) return undefined
  if (!shape.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(
      `${option} is ${JSON.stringify(baseUrl)}: use a scheme and a host, such as https://boxes.example.com, and the path of the service if it has one`,
    )
  return baseUrl.replace(/\/+$/, '')
}
