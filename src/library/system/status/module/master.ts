// Whether this minion is connected to a master, and whether another master answers. The schedule calls these functions, which
// fire an event that makes the minion reconnect.
import { decodeBytes, numberOf, truthy, type Value } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, isHostError, reads, ret } from '../../../../sdk/mod.ts'

const ESTABLISHED = '01'

/** Return the remote addresses of TCP connections to a port. */
async function connectedAddresses(ctx: FunctionContext, port: number): Promise<Set<string>> {
  const found = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    try {
      const rows = decodeBytes(await ctx.host.read(table))
        .trim()
        .split('\n')
        .slice(1)
      for (const row of rows) {
        const [, , remote = '', state] = row.trim().split(/\s+/)
        const [address = '', hexPort = ''] = remote.split(':')
        if (state === ESTABLISHED && Number.parseInt(hexPort, 16) === port) found.add(addressText(address))
      }
    } catch (error) {
      if (!isHostError(error)) throw error
    }
  }
  return found
}

/** Parse an address of the kernel: words of four bytes, each reversed. */
function addressText(hex: string): string {
  const words = hex.match(/.{8}/g) ?? []
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)))
  if (bytes.length === 4) return bytes.join('.')
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255
  if (isMapped) return bytes.slice(12).join('.')
  const groups = Array.from({ length: 8 }, (_, index) => (bytes[2 * index]! << 8) | bytes[2 * index + 1]!)
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1)
}

async function addressesOf(ctx: FunctionContext, master: string): Promise<string[]> {
  if (/^[\d.]+$/.test(master) || master.includes(':')) return [master]
  const found = await ctx.host.run({ argv: ['getent', 'ahosts', master] })
  return [
    ...new Set(
      decodeBytes(found.stdout)
        .split('\n')
        .map((line) => line.split(/\s+/)[0]!),
    ),
  ].filter(Boolean)
}

async function connection(ctx: FunctionContext, master: string | null, connected: boolean): Promise<Value> {
  const addresses = master ? await addressesOf(ctx, master) : []
  if (addresses.length === 0) return null
  const port = numberOf(await ctx.call('config.get', ['publish_port'], { default: 4505 })) ?? 4505
  const connections = await connectedAddresses(ctx, port)
  const isConnected = addresses.some((address) => connections.has(address))
  if (isConnected !== connected) {
    await ctx.daemon?.fire(isConnected ? '__master_connected' : '__master_disconnected', new Map([['master', master]]))
  }
  return isConnected
}

async function ping(ctx: FunctionContext, master: string): Promise<boolean> {
  if (!master || !(await ctx.daemon?.answers?.(master))) return false
  await ctx.daemon?.fire('__master_failback', new Map([['master', master]]))
  return true
}

async function reconnect({ proxy, opts, log }: FunctionContext, name: string): Promise<boolean> {
  if (proxy?.type !== name || !proxy.has('alive')) return false
  const who = `${String(opts.get('id'))} (${name} proxy)`
  if (proxy.has('get_reboot_active') && truthy(await proxy.call('get_reboot_active'))) {
    log('info', `${who} is rebooting or shutting down. Don't probe connection.`)
    return true
  }
  if (truthy(await proxy.call('alive'))) return true
  log('info', `${who} is down. Restarting.`)
  await proxy.call('shutdown')
  await proxy.call('init')
  return true
}

export const masterFunctions = {
  master: reads({
    doc: 'Return whether this minion is connected to a master; fire an event if that is not as expected.',
    args: {
      master: arg.text('Master', { optional: true }),
      connected: arg.flag('Whether a connection is expected', { default: true }),
    },
    returns: ret.any('Whether it is'),
    run: (ctx, { master, connected }) => connection(ctx, master, connected),
  }),
  ping_master: reads({
    doc: 'Return whether a master answers; if so, fire an event that makes the minion return to it.',
    args: { master: arg.text('Master') },
    returns: ret.boolean('Whether it does'),
    example: 'status.ping_master localhost',
    run: (ctx, { master }) => ping(ctx, master),
  }),
  proxy_reconnect: changes({
    doc: 'Ask the proxy module of a proxy minion whether its device is there; if not, shut it down and initialise it again.',
    args: {
      proxy_name: arg.text('Name of the proxy module'),
      opts: arg.any('Not used', { optional: true }),
    },
    returns: ret.boolean('False on other minions, and for a proxy module without `alive`; else True'),
    example: 'status.proxy_reconnect rest_sample',
    run: (ctx, args) => reconnect(ctx, args.proxy_name),
  }),
}
