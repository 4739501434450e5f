import { describe, expect, test } from 'vitest'
import { MemoryHost, type ScriptedSocket } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import smtp from './module.ts'

/** A mail server that records its input, and answers from a table. */
function mailServer(answers: Record<string, string> = {}) {
  const heard: string[] = []
  let receiving = false
  const script: ScriptedSocket = (sent) => {
    if (sent === null) return '220 mail ready\r\n'
    heard.push(sent)
    const verb = sent.split(/[\s:]/)[0]!
    if (receiving) {
      receiving = false
      return '250 queued\r\n'
    }
    receiving = verb === 'DATA'
    const usual: Record<string, string> = {
      EHLO: '250-mail\r\n250 AUTH PLAIN LOGIN\r\n',
      DATA: '354 go\r\n',
      AUTH: '235 ok\r\n',
    }
    return answers[verb] ?? usual[verb] ?? '250 ok\r\n'
  }
  return { heard, script }
}

async function send(server: ReturnType<typeof mailServer>, kwargs: Record<string, string | null> = {}) {
  const host = await MemoryHost.with({ hostname: 'web1', sockets: { 'mx:25': server.script } })
  const mail = {
    recipient: 'a@x.org, b@x.org',
    message: 'Hi\n.dot',
    sender: 'me@x.org',
    server: 'mx',
    use_ssl: 'False',
  }
  return tryFunction(smtp, 'send_msg', { host, kwargs: { ...mail, ...kwargs } })
}

describe('smtp.send_msg', () => {
  test('sends one message to all recipients', async () => {
    const server = mailServer()
    expect(await send(server)).toBe(true)
    expect(server.heard).toEqual([
      'EHLO web1\r\n',
      'MAIL FROM:<me@x.org>\r\n',
      'RCPT TO:<a@x.org>\r\n',
      'RCPT TO:<b@x.org>\r\n',
      'DATA\r\n',
      [
        'Content-Type: text/plain; charset="us-ascii"',
        'MIME-Version: 1.0',
        'Content-Transfer-Encoding: 7bit',
        'Subject: Message from Salt',
        'From: me@x.org',
        'To: a@x.org, b@x.org',
        '',
        'Hi',
        '..dot',
        '.',
        '',
      ].join('\r\n'),
      'QUIT\r\n',
    ])
  })

  test('sends no command that is a part of an address', async () => {
    for (const kwargs of [{ sender: 'me@x.org>\r\nQUIT' }, { recipient: 'a@x.org>\r\nRCPT TO:<evil@y.org' }]) {
      const server = mailServer()
      expect(await send(server, kwargs)).toBe(false)
      expect(server.heard.join('')).not.toMatch(/QUIT|evil|DATA/)
    }
  })

  test('logs in when it knows how', async () => {
    const server = mailServer()
    expect(await send(server, { username: 'u', password: 'p' })).toBe(true)
    expect(server.heard).toContain(`AUTH PLAIN ${btoa('\0u\0p')}\r\n`)
  })

  test.each<[string, Record<string, string>]>([
    ['the login', { AUTH: '535 no\r\n' }],
    ['the sender', { MAIL: '550 no\r\n' }],
    ['all recipients', { RCPT: '550 no\r\n' }],
    ['the data', { DATA: '554 no\r\n' }],
  ])('answers false when the server refuses %s', async (_what, answers) => {
    expect(await send(mailServer(answers), { username: 'u', password: 'p' })).toBe(false)
  })

  test('encodes what is not ASCII', async () => {
    const server = mailServer()
    await send(server, { message: 'Grüße', subject: 'Süß' })
    const text = server.heard.find((line) => line.startsWith('Content-Type'))!
    expect(text).toContain('charset="utf-8"')
    expect(text).toContain(`Subject: =?utf-8?b?${Buffer.from('Süß').toString('base64')}?=`)
    expect(text).toContain(Buffer.from('Grüße').toString('base64'))
  })

  test('sends by this machine when no server is given', async () => {
    const server = mailServer()
    const host = await MemoryHost.with({ hostname: 'web1', sockets: { 'localhost:25': server.script } })
    const kwargs = { recipient: 'ops@x.org', message: 'Hi' }
    expect(await tryFunction(smtp, 'send_msg', { host, kwargs, others: { 'config.option': () => '' } })).toBe(true)
    expect(server.heard[1]).toMatch(/^MAIL FROM:<salt@/)
  })
})
