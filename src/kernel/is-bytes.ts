/** Whether a value is a `Uint8Array`, also one of another JavaScript realm, such as that of a test environment. */
export const isBytes = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array ||
  (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]')
