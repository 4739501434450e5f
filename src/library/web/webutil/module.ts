// Password files of web servers, through htpasswd.
import { splitLines, str } from '../../../data/mod.ts'
import { arg, changes, defineModule, exists, reads, ret } from '../../../sdk/mod.ts'

const pwfile = arg.text('Path of the password file')
const user = arg.text('Name of the user')
const password = arg.text('Password', { secret: true })
const opts = arg.text('Option letters of htpasswd', { default: '' })
const runas = arg.text('System user that runs htpasswd', { optional: true })

export default defineModule({
  name: 'webutil',
  doc: 'Manage password files of web servers.',
  when: async ({ host }) =>
    (await host.which('htpasswd')) !== undefined ||
    'The htpasswd execution mdule cannot be loaded: htpasswd binary not in path.',
  functions: {
    useradd: changes({
      doc: 'Add a user, or change the password of a user.',
      args: { pwfile, user, password, opts, runas },
      returns: ret.dict('What `cmd.run_all` returns'),
      example: 'webutil.useradd /etc/httpd/htpasswd larry badpassword',
      run: async (ctx, { pwfile, user, password, opts, runas }) => {
        const create = (await exists(ctx, pwfile)) ? '' : 'c'
        const words = ['htpasswd', `-i${opts}${create}`, pwfile, user]
        return ctx.call('cmd.run_all', [words], {
          runas,
          python_shell: false,
          stdin: password,
          stdin_raw_newlines: true,
        })
      },
    }),
    userdel: changes({
      doc: 'Remove a user.',
      args: {
        pwfile,
        user,
        runas,
        all_results: arg.flag('Whether the result of `cmd.run_all` is returned', { default: false }),
      },
      returns: ret.any('Lines of htpasswd, or what `cmd.run_all` returns'),
      example: 'webutil.userdel /etc/httpd/htpasswd larry',
      run: async (ctx, { pwfile, user, runas, all_results }) => {
        if (!(await exists(ctx, pwfile))) return 'Error: The specified htpasswd file does not exist'
        const words = ['htpasswd', '-D', pwfile, user]
        if (all_results) return ctx.call('cmd.run_all', [words], { runas, python_shell: false })
        return splitLines(str(await ctx.call('cmd.run', [words], { runas, python_shell: false })))
      },
    }),
    verify: reads({
      doc: 'Return whether a password is correct.',
      args: { pwfile, user, password, opts, runas },
      returns: ret.boolean('Whether the password is correct'),
      example: 'webutil.verify /etc/httpd/htpasswd larry maybepassword',
      run: async (ctx, { pwfile, user, password, opts, runas }) => {
        if (!(await exists(ctx, pwfile))) return false
        const words = ['htpasswd', `-iv${opts}`, pwfile, user]
        const answer = await ctx.call('cmd.run_all', [words], {
          runas,
          python_shell: false,
          stdin: password,
          stdin_raw_newlines: true,
        })
        return answer instanceof Map && answer.get('retcode') === 0
      },
    }),
  },
})
