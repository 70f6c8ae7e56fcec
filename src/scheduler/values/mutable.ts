/** An object while it is made: its fields may still be written. */
export type Mutable<Of> = { -readonly [Field in keyof Of]: Of[Field] }
