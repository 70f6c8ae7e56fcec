import ipaddr from 'ipaddr.js'

/**
 * Whether an address is within one of several networks; without networks every address is, and with them an
 * unknown address is in none.
 *
 * @param cidrs - `10.0.0.0/8`, `2001:db8::/32`, or a single address
 * @param address - of the client; IPv4 written as IPv6 counts as IPv4
 */
export function addressWithin(cidrs: readonly string[], address: string | undefined): boolean {
  if (cidrs.length === 0) return true
  if (address === undefined || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return cidrs.some((cidr) => {
    const network = networkOf(cidr)
    return (
      network !== undefined && network[0].kind() === parsed.kind() && parsed.match(network[0], network[1])
    )
  })
}

/** The first of several texts that is neither a network nor an address. */
export const badCidr = (cidrs: readonly string[]): string | undefined =>
  cidrs.find((cidr) => networkOf(cidr) === undefined)

/**
 * The address that a proxy names: bare, in brackets, or with a port; `undefined` if it is none.
 */
export function addressOf(text: string): string | undefined {
  const bare = /^\[([\da-f:.]+)\](?::\d+)?$/i.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const isAddress = bare.includes(':')
    ? ipaddr.IPv6.isValid(bare) && !bare.includes('%')
    : ipaddr.IPv4.isValidFourPartDecimal(bare)
  return isAddress ? bare : undefined
}

/** Whether an address is one of the public Internet: not private, local, reserved, or a translation of such. */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'

function networkOf(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  if (ipaddr.isValidCIDR(text)) return asClientsAre(...ipaddr.parseCIDR(text))
  if (!ipaddr.isValid(text) || (!text.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(text)))
    return undefined
  const address = ipaddr.parse(text)
  return asClientsAre(address, address.kind() === 'ipv4' ? 32 : 128)
}

/** Converts an IPv4 network written as IPv6 (`::ffff:10.0.0.0/104`) to IPv4, the form of its clients' addresses. */
const asClientsAre = (
  address: ipaddr.IPv4 | ipaddr.IPv6,
  bits: number,
): [ipaddr.IPv4 | ipaddr.IPv6, number] =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96
    ? [address.toIPv4Address(), bits - 96]
    : [address, bits]

/** The first of several networks that is not within any of some others; without others every network is. */
export const cidrOutside = (cidrs: readonly string[], others: readonly string[]): string | undefined =>
  others.length === 0
    ? undefined
    : cidrs.find((cidr) => {
        const inner = networkOf(cidr)
        return !others.some((other) => {
          const outer = networkOf(other)
          return (
            inner !== undefined &&
            outer !== undefined &&
            inner[0].kind() === outer[0].kind() &&
            inner[1] >= outer[1] &&
            inner[0].match(outer[0], outer[1])
          )
        })
      })
