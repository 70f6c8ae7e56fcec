/** An object under construction: its fields are writable. */
export type Mutable<Of> = { -readonly [Field in keyof Of]: Of[Field] }
