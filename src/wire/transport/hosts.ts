// Hosts as units of limits. The owner of one IPv6 address has the 2^64 addresses of its network, so that network counts
// as one host.

/** Return the key of the host with this address: the IPv4 address, or the /64 network of an IPv6 address. */
export function limitedHost(address: string | undefined): string {
  const [text = ''] = (address ?? '').split('%')
  const mapped = /^::ffff:([\d.]+)$/i.exec(text)
  if (mapped) return mapped[1]!
  if (!text.includes(':') || text === '::1') return text
  const [head = '', tail] = text.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`
}
