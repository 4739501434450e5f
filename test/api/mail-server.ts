// A mail server that takes everything and writes it down.
import { type AddressInfo, createServer, type Server } from 'node:net'

export interface Mail {
  from: string
  to: string[]
  /** Headers and text. */
  text: string
}

export class MailServer {
  readonly mails: Mail[] = []
  private readonly server: Server

  static async open(): Promise<MailServer> {
    const mail = new MailServer()
    await new Promise<void>((done) => mail.server.listen(0, '127.0.0.1', done))
    return mail
  }

  private constructor() {
    this.server = createServer((socket) => {
      let [heard, isData] = ['', false]
      let mail: Mail = { from: '', to: [], text: '' }
      socket.on('error', () => socket.destroy())
      socket.write('220 mail\r\n')
      const command = (line: string): string => {
        const address = /<(.*)>/.exec(line)?.[1] ?? ''
        if (/^mail/i.test(line)) mail = { from: address, to: [], text: '' }
        if (/^rcpt/i.test(line)) mail.to.push(address)
        isData = /^data/i.test(line)
        return isData ? '354 go on' : '250 ok'
      }
      socket.on('data', (chunk) => {
        heard += chunk.toString()
        for (let end = heard.indexOf('\r\n'); end >= 0; end = heard.indexOf('\r\n')) {
          const line = heard.slice(0, end)
          heard = heard.slice(end + 2)
          if (!isData) socket.write(`${command(line)}\r\n`)
          else if (line !== '.') mail.text += `${line}\n`
          else {
            isData = false
            this.mails.push(mail)
            socket.write('250 ok\r\n')
          }
        }
      })
    })
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  close(): Promise<void> {
    return new Promise((done) => this.server.close(() => done()))
  }
}
