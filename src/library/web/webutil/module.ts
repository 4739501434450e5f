// Files of passwords for web servers, through htpasswd.
import { splitLines, str } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'

const pwfile = arg.text('The file')
const user = arg.text('The user')
const password = arg.text('The password', { secret: true })
const opts = arg.text('Options of htpasswd, as letters', { default: '' })
const runas = arg.text('The system user that htpasswd runs as', { optional: true })

const isThere = async (ctx: FunctionContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path)) !== undefined

export default defineModule({
  name: 'webutil',
  doc: 'Keep files of passwords for web servers.',
  when: async ({ host }) =>
    (await host.which('htpasswd')) !== undefined ||
    'The htpasswd execution mdule cannot be loaded: htpasswd binary not in path.',
  functions: {
    useradd: changes({
      doc: 'Add a user, or change their password.',
      args: { pwfile, user, password, opts, runas },
      returns: ret.dict('As cmd.run_all gives it'),
      example: 'webutil.useradd /etc/httpd/htpasswd larry badpassword',
      run: async (ctx, { pwfile, user, password, opts, runas }) => {
        const create = (await isThere(ctx, pwfile)) ? '' : 'c'
        const words = ['htpasswd', `-i${opts}${create}`, pwfile, user]
        return ctx.call('cmd.run_all', [words], { runas, python_shell: false, stdin: password })
      },
    }),
    userdel: changes({
      doc: 'Remove a user.',
      args: { pwfile, user, runas, all_results: arg.flag('Whether all that came back is told', { default: false }) },
      returns: ret.any('What htpasswd said'),
      example: 'webutil.userdel /etc/httpd/htpasswd larry',
      run: async (ctx, { pwfile, user, runas, all_results }) => {
        if (!(await isThere(ctx, pwfile))) return 'Error: The specified htpasswd file does not exist'
        const words = ['htpasswd', '-D', pwfile, user]
        if (all_results) return ctx.call('cmd.run_all', [words], { runas, python_shell: false })
        return splitLines(str(await ctx.call('cmd.run', [words], { runas, python_shell: false })))
      },
    }),
    verify: reads({
      doc: 'Whether a password is right.',
      args: { pwfile, user, password, opts, runas },
      returns: ret.boolean('Whether it is'),
      example: 'webutil.verify /etc/httpd/htpasswd larry maybepassword',
      run: async (ctx, { pwfile, user, password, opts, runas }) => {
        if (!(await isThere(ctx, pwfile))) return false
        const words = ['htpasswd', `-iv${opts}`, pwfile, user]
        const answer = await ctx.call('cmd.run_all', [words], { runas, python_shell: false, stdin: password })
        return answer instanceof Map && answer.get('retcode') === 0
      },
    }),
  },
})
