// `tism`: secrets that a tISM server decrypts. The key is the encrypted secret.
import { dumpJson, failure, fromPlain } from '../../../data/mod.ts'
import { arg, askWeb, defineSdb } from '../../../sdk/mod.ts'

export default defineSdb({
  name: 'tism',
  doc: 'Secrets that a tISM server decrypts; the key is the encrypted secret.',
  args: { url: arg.text('Address that decrypts'), token: arg.text('Token of the server', { secret: true }) },
  get: async (ctx, key, { url, token }) => {
    const body = dumpJson(fromPlain({ token, encsecret: key }))
    const { status, text } = await askWeb(ctx, { url, method: 'POST', body })
    if (status >= 300 || text === '') throw failure(`${url} does not decrypt the secret: status ${status}`)
    return text
  },
})
