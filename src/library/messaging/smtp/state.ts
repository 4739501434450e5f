// Mail sent by a state.
import { str, truthy } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state } from '../../../sdk/mod.ts'

export default defineState({
  name: 'smtp',
  doc: 'Send mail.',
  functions: {
    send_msg: state({
      doc: 'Send a mail.',
      args: {
        name: arg.text('Text of the mail'),
        recipient: arg.text('Addresses, separated by commas'),
        subject: arg.text('Subject'),
        sender: arg.text('Address of the sender', { optional: true }),
        profile: arg.text('Name of the options with server and login', { optional: true }),
        use_ssl: arg.any('`True` or `true` encrypts the connection from the start', { default: 'True' }),
        attachments: arg.any('List of paths of files to attach', { optional: true }),
      },
      run: async (ctx, { name, recipient, subject, sender, profile, use_ssl, attachments }) => {
        const report = reportOn(name)
        if (profile === null && sender === null) {
          return report(false, 'Missing parameter sender or profile for state smtp.send_msg')
        }
        if (ctx.test) return report(null, `Need to send message to ${recipient}: ${name}`)
        const mail = { message: name, recipient, profile, subject, sender, use_ssl, attachments }
        if (!truthy(await ctx.call('smtp.send_msg', [], mail))) {
          return report(false, `Unable to send message to ${recipient}: ${name}`)
        }
        if (!truthy(attachments)) return report(true, `Sent message to ${recipient}: ${name}`)
        const files = (Array.isArray(attachments) ? attachments.map(str) : []).join(', ')
        return report(true, `Sent message to ${recipient} with attachments (${files}): ${name}`)
      },
    }),
  },
})
