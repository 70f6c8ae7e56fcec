/** The token of `Authorization: Bearer`; the scheme's case does not matter. */
export const bearerOf = (headers: Headers): string | undefined =>
  /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
