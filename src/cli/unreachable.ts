/** Why a request failed without an answer, with a remedy if one is known. */
export function whyUnreachable(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const [firstLine = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
  const hint = hints[code]
  return hint === undefined ? firstLine : `${hint} (${code})`
}

/** Whether a retry would fail as well: the other side does not use TLS, or its certificate is not accepted. */
export const isLasting = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /PROTO|SSL|TLS|CERT|LEAF_SIGNATURE/.test(String(error.code))

const isSelfSigned =
  'its certificate is signed by an unknown authority: add the authority to NODE_EXTRA_CA_CERTS'

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; is the server running, and is the address right?',
  EMFILE: 'this process has no file descriptors left; raise the limit (ulimit -n)',
  ENOTFOUND: 'unknown host',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host: use a name that the certificate has',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ECONNRESET: 'the server closed the connection; does the address begin with https://?',
  HPE_INVALID_CONSTANT: 'the answer is not HTTP; does the address begin with https://?',
  EPROTO: 'the server does not use TLS; does the address begin with http://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use TLS; does the address begin with http://?',
  DEPTH_ZERO_SELF_SIGNED_CERT: isSelfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: isSelfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: isSelfSigned,
}
