/** Decodes percent escapes; `undefined` if one is invalid. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The value of a JSON text; `undefined` if the text is not JSON. The host's message is left out: it may quote a secret. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
