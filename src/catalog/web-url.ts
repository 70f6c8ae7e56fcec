/** Includes line breaks, which the host's URL parser drops silently and no header may contain. */
const control = /\p{Cc}/u

/**
 * With a host after two slashes, and without trailing whitespace: the host's URL parser accepts more than other
 * parsers.
 */
const shape = /^https?:\/\/[^\s/\\?#](?:.*\S)?$/i

/** Whether a text is an absolute http or https URL. */
export const isWebUrl = (text: string): boolean =>
  shape.test(text) && !control.test(text) && URL.canParse(text)
