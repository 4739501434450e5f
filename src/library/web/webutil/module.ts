// Files of passwords for web servers, through htpasswd.
import { splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineModule, type FunctionContext, fn, ret } from '../../../sdk/mod.ts'

const pwfile = arg.any('The file')
const user = arg.any('The user')
const password = arg.any('The password', { secret: true })
const opts = arg.any('Options of htpasswd, as letters', { default: '' })
const runas = arg.any('The system user that htpasswd runs as', { optional: true })

const isThere = async (ctx: FunctionContext, path: Value): Promise<boolean> =>
  (await ctx.host.stat(str(path))) !== undefined

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
        const words = ['htpasswd', `-i${str(opts)}${create}`, str(pwfile), str(user)]
        return ctx.call('cmd.run_all', [words], { runas, python_shell: false, stdin: str(password) })
      },
    }),
    userdel: fn({
      doc: 'Remove a user.',
      args: { pwfile, user, runas, all_results: arg.any('Whether all that came back is told', { default: false }) },
      returns: ret.any('What htpasswd said'),
      examples: ["salt '*' webutil.userdel /etc/httpd/htpasswd larry"],
      effect: 'change',
      run: async (ctx, { pwfile, user, runas, all_results }) => {
        if (!(await isThere(ctx, pwfile))) return 'Error: The specified htpasswd file does not exist'
        const words = ['htpasswd', '-D', str(pwfile), str(user)]
        if (truthy(all_results)) return ctx.call('cmd.run_all', [words], { runas, python_shell: false })
        return splitLines(await ctx.call('cmd.run', [words], { runas, python_shell: false }))
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
        const words = ['htpasswd', `-iv${str(opts)}`, str(pwfile), str(user)]
        const answer = await ctx.call('cmd.run_all', [words], { runas, python_shell: false, stdin: str(password) })
        return answer instanceof Map && answer.get('retcode') === 0
      },
    }),
  },
})
