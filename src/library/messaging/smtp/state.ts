// Mail as part of a run.
import { str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, state } from '../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })

export default defineState({
  name: 'smtp',
  doc: 'Send mail.',
  functions: {
    send_msg: state({
      doc: 'A mail has been sent.',
      args: {
        name: arg.any('The text'),
        recipient: arg.any('Addresses, with commas between'),
        subject: arg.any('The subject'),
        sender: optional('The address it comes from'),
        profile: optional('The name of options that hold server and login'),
        use_ssl: arg.any('Whether the connection is encrypted from the start', { default: 'True' }),
        attachments: optional('Paths of files that go with it'),
      },
      run: async (ctx, { name, recipient, subject, sender, profile, use_ssl, attachments }) => {
        const report = (result: boolean | null, comment: string) => ({ name, changes: {}, result, comment })
        if (profile === null && sender === null) {
          return report(false, 'Missing parameter sender or profile for state smtp.send_msg')
        }
        const [to, text] = [str(recipient), str(name)]
        if (ctx.test) return report(null, `Need to send message to ${to}: ${text}`)
        const mail = { message: name, recipient, profile, subject, sender, use_ssl, attachments }
        if (!truthy(await ctx.call('smtp.send_msg', [], mail))) {
          return report(false, `Unable to send message to ${to}: ${text}`)
        }
        if (!truthy(attachments)) return report(true, `Sent message to ${to}: ${text}`)
        const files = (attachments as Value[]).map((file) => str(file)).join(', ')
        return report(true, `Sent message to ${to} with attachments (${files}): ${text}`)
      },
    }),
  },
})
