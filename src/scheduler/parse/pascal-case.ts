const initials = /^(ca|cidr|cni|cpu|dns|fs|grpc|id|numa|sds|sni|tcp|tls|ttl|ui|uid|url)(s?)$/

/** The JSON spelling of a name: `change_mode` is `ChangeMode`, `tls_server_name` is `TLSServerName`. */
export const pascalCase = (name: string): string =>
  name
    .split('_')
    .map((word) => {
      const [, letters, plural = ''] = initials.exec(word) ?? []
      return letters === undefined
        ? word.charAt(0).toUpperCase() + word.slice(1)
        : letters.toUpperCase() + plural
    })
    .join('')
