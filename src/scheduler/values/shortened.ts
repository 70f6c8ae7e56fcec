/** A caller's text, truncated for a message. */
export const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
