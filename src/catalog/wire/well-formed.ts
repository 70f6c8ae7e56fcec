/**
 * A string that every client can parse. An unpaired surrogate, as a careless cut leaves it, makes some clients refuse
 * the whole document.
 */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')
