// NTP servers of Windows, through w32tm.
import { splitLines, splitWords, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, reads } from '../../../sdk/mod.ts'

const SERVICE = 'w32time'

async function servers(ctx: FunctionContext): Promise<string[] | false> {
  const lines = splitLines(await outputOf(ctx, ['w32tm', '/query', '/configuration']))
  const line = lines.find((text) => text.startsWith('NtpServer:'))
  if (line === undefined) return false
  return splitWords(line.replace(/ \([^(]*$/, '').slice('NtpServer:'.length)).sort()
}

async function setServers(ctx: FunctionContext, wanted: readonly Value[]): Promise<boolean> {
  const isRunning = truthy(await ctx.call('service.status', [SERVICE]))
  if (!isRunning && !truthy(await ctx.call('service.start', [SERVICE]))) return false
  const names = wanted.map(str)
  const configure = (...words: string[]) => outputOf(ctx, ['W32tm', '/config', ...words])
  await configure('/syncfromflags:manual', `/manualpeerlist:${names.join(' ')}`)
  await configure('/reliable:yes')
  await configure('/update')
  const now = await servers(ctx)
  if (now === false || now.join(' ') !== names.sort().join(' ')) return false
  await ctx.call('service.restart', [SERVICE])
  return true
}

export default defineModule({
  name: 'win_ntp',
  doc: 'Manage the NTP servers of Windows.',
  virtual: 'ntp',
  when: ({ grains }) => grains.get('kernel') === 'Windows' || 'Module win_system: module only works on Windows systems',
  functions: {
    set_servers: changes({
      doc: 'Set the NTP servers.',
      example: "ntp.set_servers 'pool.ntp.org' 'us.pool.ntp.org'",
      args: { servers: arg.rest('Host names of the servers') },
      run: (ctx, { servers }) => setServers(ctx, servers),
    }),
    get_servers: reads({ doc: 'Return the NTP servers.', example: 'ntp.get_servers', run: servers }),
  },
})
