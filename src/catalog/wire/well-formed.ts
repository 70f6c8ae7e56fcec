/**
 * Text that every client can read back. Half of a character that takes two UTF-16 units, as a careless cut leaves it,
 * makes some refuse the whole document that it stands in.
 */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')
