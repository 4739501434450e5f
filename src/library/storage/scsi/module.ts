// SCSI devices that lsscsi lists: a line for each device, then lines with its attributes.
import { splitLines, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, outputOf, reads, runAll } from '../../../sdk/mod.ts'

const bare = (text: string): string => text.replaceAll(/[[\]]/g, '')

type Device = Record<string, Value>

function deviceOf(line: string, hasSize: boolean): Device {
  const words = line.trim().split(/\s+/)
  const lun = bare(words[0]!)
  const size = hasSize ? words.pop()! : null
  const numbers = words.pop()!
  const [major = null, minor = null] = numbers.startsWith('[') ? bare(numbers).split(':') : []
  return { lun, size, major, minor, device: words.pop() ?? null, model: words.slice(3).join(' ') }
}

function devicesIn(text: string, hasSize: boolean): Record<string, Device> {
  const devices: Record<string, Device> = {}
  let current: Device = {}
  for (const line of splitLines(text)) {
    if (line.startsWith('[')) {
      current = deviceOf(line, hasSize)
      devices[line.split(/\s+/)[0]!] = current
    } else if (line.trim().startsWith('dir')) {
      const [, path = '', link = ''] = line.trim().split(/\s+/)
      current['dir'] = [path, bare(link)]
    } else if (line.startsWith(' ')) {
      const [name = '', value = ''] = line.trim().split('=')
      current[name] = value
    }
  }
  return devices
}

export default defineModule({
  name: 'scsi',
  doc: 'Manage SCSI devices.',
  functions: {
    ls: {
      ...reads({
        doc: 'Return the devices with their attributes.',
        example: 'scsi.ls get_size=False',
        args: {
          get_size: arg.flag('Whether to return sizes, which old versions of lsscsi do not support', { default: true }),
        },
        run: async (ctx, { get_size }) => {
          if ((await ctx.host.which('lsscsi')) === undefined) {
            ctx.memory.set('retcode', 1)
            return 'scsi.ls not available - lsscsi command not found'
          }
          const { retcode, stdout, stderr } = await runAll(ctx, `lsscsi -dL${get_size ? 's' : ''}v`)
          if (retcode === 0) return devicesIn(stdout, get_size)
          ctx.memory.set('retcode', retcode)
          const error = stderr.split('\n')[0]!
          return error === "lsscsi: invalid option -- 's'" ? `${error} - try get_size=False` : error
        },
      }),
      calledAs: 'ls_',
    },
    rescan_all: changes({
      doc: 'Scan an adapter for new devices.',
      example: 'scsi.rescan_all 0',
      args: { host: arg.text('Number of the adapter') },
      run: async (ctx, { host }) => {
        const place = `/sys/class/scsi_host/host${host}`
        if ((await ctx.host.stat(place))?.type !== 'directory') return `Host ${host} does not exist`
        return splitLines(await outputOf(ctx, `echo "- - -" > ${place}/scan`, { python_shell: true }))
      },
    }),
  },
})
