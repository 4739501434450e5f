// The rules of PAM files: interface, control flag, module and its arguments.
import { decodeBytes, splitLines, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type Result, reads } from '../../../sdk/mod.ts'

/** Parse a rule; the control flag may be a list of words in brackets. */
function ruleOf(line: string): Result {
  const [, iface = '', flag = '', rest = ''] = /^\s*(\S+)\s+(\[[^\]]*\]|\S+)\s*(.*)$/.exec(line) ?? []
  const [module = '', ...args] = rest.trim().split(/\s+/)
  const control = flag.replaceAll(/[[\]]/g, '').trim().split(/\s+/).join(' ')
  return { interface: iface, control_flag: control, module, arguments: args as Value[] }
}

export default defineModule({
  name: 'pam',
  doc: 'Read files of PAM.',
  functions: {
    read_file: reads({
      doc: 'Return the rules of a file.',
      example: 'pam.read_file /etc/pam.d/login',
      args: { file_name: arg.text('Path of the file') },
      run: async (ctx, { file_name }) => {
        if ((await ctx.host.stat(file_name)) === undefined) {
          ctx.log('error', `File "${file_name}" does not exist`)
          return false
        }
        const text = decodeBytes(await ctx.host.read(file_name))
        return splitLines(text)
          .filter((line) => line !== '' && !line.startsWith('#'))
          .map(ruleOf)
      },
    }),
  },
})
