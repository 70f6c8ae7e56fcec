import { gzipSync } from 'node:zlib'

/** One file of a tar archive: a header of 512 bytes, then the text, padded to 512. */
function tarEntry(name: string, text: string): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${Buffer.byteLength(text).toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512)
  body.write(text)
  return Buffer.concat([header, body])
}

/** An archive of a module that says which version it is, with a submodule that does too. */
export const archiveOf = (label: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    gzipSync(
      Buffer.concat([
        tarEntry('main.tf', `output "label" {\n  value = "${label}"\n}\n`),
        tarEntry('nat/main.tf', `output "label" {\n  value = "${label} nat"\n}\n`),
        Buffer.alloc(1024),
      ]),
    ),
  )
