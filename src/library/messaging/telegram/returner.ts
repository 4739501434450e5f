// `telegram`: returns as messages of a Telegram bot.
import { isDict, loadJson, str } from '../../../data/mod.ts'
import { askWeb, defineReturner, returnerOptions } from '../../../sdk/mod.ts'
import { returnMessage } from '../common/return-message.ts'

/** The most characters that Telegram takes in a message. */
const MOST = 4096

export default defineReturner({
  name: 'telegram_return',
  virtual: 'telegram',
  doc: 'Send returns to a Telegram chat. Options `telegram.chat_id` and `telegram.token`. Text beyond 4096 characters is cut off.',
  functions: {
    returner: async (ctx, ret) => {
      const { chat_id, token } = await returnerOptions(ctx, 'telegram', { chat_id: '', token: '' }, ret)
      if (chat_id === '' || token === '') {
        ctx.log('error', `telegram.${chat_id === '' ? 'chat_id' : 'token'} not defined in salt config`)
        return
      }
      const url = `https://api.telegram.org/bot${encodeURIComponent(str(token)).replaceAll('%3A', ':')}/sendMessage`
      const body = new URLSearchParams({ chat_id: str(chat_id), text: returnMessage(ret).slice(0, MOST) }).toString()
      const { status, text } = await askWeb(ctx, { url, method: 'POST', body, hasSecretPath: true })
      const answer = status === 200 ? loadJson(text) : null
      if (isDict(answer) && answer.get('ok') === true) return
      ctx.log(
        'error',
        `Telegram did not take the return of ${str(ret.get('jid') ?? '')}: status ${status}, ${text.slice(0, 200)}`,
      )
    },
  },
})
