/** Line breaks among them: what the host's URL drops without a word, and no header may hold. */
const control = /\p{Cc}/u

/** With a host after two slashes, and no blank at the end: the host's URL forgives what other readers do not. */
const shape = /^https?:\/\/[^\s/\\?#](?:.*\S)?$/i

/** Whether a text is an absolute http or https URL. */
export const isWebUrl = (text: string): boolean =>
  shape.test(text) && !control.test(text) && URL.canParse(text)
