// `smtp`: returns by mail.
import { isList, str, truthy, type Value } from '../../../data/mod.ts'
import { defineReturner, returnerOptions } from '../../../sdk/mod.ts'

const DEFAULTS = {
  from: null,
  to: null,
  host: null,
  port: 25,
  username: null,
  password: null,
  subject: 'Salt return',
  fields: 'id,fun',
  tls: null,
} satisfies Record<string, Value>

const LINES = { id: 'id', fun: 'function', fun_args: 'function args', jid: 'jid', return: 'return' }

export default defineReturner({
  name: 'smtp_return',
  virtual: 'smtp',
  doc: 'Send returns by mail.',
  functions: {
    returner: async (ctx, ret) => {
      const options = await returnerOptions(ctx, 'smtp', DEFAULTS, ret)
      const { from, to, host, port, username, password, tls } = options
      if (to === null || host === null || from === null) {
        ctx.log('error', 'The smtp returner needs the options smtp.from, smtp.to and smtp.host')
        return
      }
      const fields = isList(options.fields) ? options.fields.map(str) : str(options.fields).split(',')
      const named = fields.map((field) => field.trim()).filter((field) => ret.has(field))
      const subject = [str(options.subject), ...named.map((field) => str(ret.get(field)!))].join(' ')
      const body = Object.entries(LINES).map(([field, shown]) => `${shown}: ${str(ret.get(field) ?? null)}\r\n`)
      await ctx.call('smtp.send_msg', [isList(to) ? to.map(str).join(',') : to, body.join('')], {
        subject,
        sender: from,
        server: `${str(host)}:${str(port)}`,
        use_ssl: truthy(tls) ? 'True' : 'False',
        username,
        password,
      })
    },
  },
})
