// Files of passwords for web servers, through htpasswd.
import { splitLines, str } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, fn, ret } from '../../../sdk/mod.ts'

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
    useradd: fn({
      doc: 'Add a user, or change their password.',
      args: { pwfile, user, password, opts, runas },
      returns: ret.dict('As cmd.run_all gives it'),
      examples: ["salt '*' webutil.useradd /etc/httpd/htpasswd larry badpassword"],
      effect: 'change',
      run: async (ctx, { pwfile, user, password, opts, runas }) => {
        const create = (await isThere(ctx, pwfile)) ? '' : 'c'
        const words = ['htpasswd', `-i${opts}${create}`, pwfile, user]
        return ctx.call('cmd.run_all', [words], { runas, python_shell: false, stdin: password })
      },
    }),
    userdel: fn({
      doc: 'Remove a user.',
      args: { pwfile, user, runas, all_results: arg.flag('Whether all that came back is told', { default: false }) },
      returns: ret.any('What htpasswd said'),
      examples: ["salt '*' webutil.userdel /etc/httpd/htpasswd larry"],
      effect: 'change',
      run: async (ctx, { pwfile, user, runas, all_results }) => {
        if (!(await isThere(ctx, pwfile))) return 'Error: The specified htpasswd file does not exist'
        const words = ['htpasswd', '-D', pwfile, user]
        if (all_results) return ctx.call('cmd.run_all', [words], { runas, python_shell: false })
        return splitLines(str(await ctx.call('cmd.run', [words], { runas, python_shell: false })))
      },
    }),
    verify: fn({
      doc: 'Whether a password is right.',
      args: { pwfile, user, password, opts, runas },
      returns: ret.boolean('Whether it is'),
      examples: ["salt '*' webutil.verify /etc/httpd/htpasswd larry maybepassword"],
      effect: 'read',
      run: async (ctx, { pwfile, user, password, opts, runas }) => {
        if (!(await isThere(ctx, pwfile))) return false
        const words = ['htpasswd', `-iv${opts}`, pwfile, user]
        const answer = await ctx.call('cmd.run_all', [words], { runas, python_shell: false, stdin: password })
        return answer instanceof Map && answer.get('retcode') === 0
      },
    }),
  },
})
