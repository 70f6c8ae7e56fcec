/** Line breaks among them: what the host's URL drops without a word, and no header may hold. */
const control = /\p{Cc}/u

/** Whether a text is an absolute http or https URL. */
export const isWebUrl = (text: string): boolean =>
  /^https?:/i.test(text) && !control.test(text) && URL.canParse(text)
