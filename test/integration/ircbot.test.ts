// The bot on a real IRC server: permitted users, its answers, and its events.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../src/data/mod.ts'
import ircbot from '../../src/library/messaging/ircbot/engine.ts'
import { type RunningEngine, runEngine } from '../../src/library/salt/engines/try-engine.test-support.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { canServe } from './servers.ts'

const PROGRAM = '/usr/sbin/ngircd'

let folder: string
let server: ChildProcess
let port: number
let bot: RunningEngine
let user: Socket
let heard = ''

const says = async (line: string, wanted: string): Promise<void> => {
  user.write(`${line}\r\n`)
  await until(wanted, () => heard.includes(wanted))
}

async function enter(nick: string): Promise<Socket> {
  const socket = createConnection({ host: '127.0.0.1', port })
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    heard += text
    for (const [, token] of text.matchAll(/^PING (.*)$/gm)) socket.write(`PONG ${token!.trim()}\r\n`)
  })
  socket.write(`NICK ${nick}\r\nUSER ${nick} 0 * :${nick}\r\n`)
  await until('a welcome', () => heard.includes(' 001 '))
  socket.write('JOIN #ops\r\n')
  await until('both in the channel', () => new RegExp(`:${nick}!.* JOIN`).test(heard))
  return socket
}

const start = (more: Record<string, Value> = {}): RunningEngine =>
  runEngine(ircbot, { nick: 'salty', host: '127.0.0.1', port, channels: ['ops'], allow_nicks: ['jo.*'], ...more })

describe.runIf(canServe('ngIRCd', PROGRAM))('the IRC bot', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'brine-irc-'))
    port = await freePort()
    const settings = '[Global]\nName = irc.test\nInfo = test\n[Options]\nDNS = no\nIdent = no\nPAM = no\n'
    writeFileSync(join(folder, 'ngircd.conf'), `${settings}[Global]\nListen = 127.0.0.1\nPorts = ${port}\n`)
    server = spawn(PROGRAM, ['-n', '-f', join(folder, 'ngircd.conf')], { stdio: 'ignore' })
    const answers = (): Promise<boolean> =>
      new Promise((done) => {
        const probe = createConnection({ host: '127.0.0.1', port }, () => done(true))
        probe.once('error', () => done(false)).once('connect', () => probe.destroy())
      })
    await until('the server', answers)
    user = await enter('joe')
    bot = start()
    await until('the bot in the channel', () => /:salty!.* JOIN/.test(heard))
  })
  afterAll(async () => {
    await bot?.stop()
    user?.destroy()
    server?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  test('answers permitted users', async () => {
    await says('PRIVMSG #ops :!ping', 'PRIVMSG #ops :joe: pong')
    await says('PRIVMSG #ops :!echo hello there', 'PRIVMSG #ops :hello there')
  })

  test('fires events', async () => {
    await says('PRIVMSG #ops :!event deploy/web 1.2 now', 'PRIVMSG #ops :joe: TaDa!')
    expect(bot.fired.map(({ tag, data }) => [tag, toPlain(data)])).toEqual([
      ['salt/engines/ircbot/deploy/web', { data: ['1.2', 'now'] }],
    ])
  })

  test('ignores private messages, other text, and users without permission', async () => {
    const before = bot.fired.length
    user.write('PRIVMSG salty :!event secret\r\nPRIVMSG #ops :event x\r\nPRIVMSG #ops :!nosuch\r\nNICK stranger\r\n')
    user.write('PRIVMSG #ops :!event strange\r\nNICK joe2\r\n')
    await says('PRIVMSG #ops :!echo after all', 'PRIVMSG #ops :after all')
    expect(bot.fired.length).toBe(before)
  })

  test('fails when the server is gone, so that it is started again', async () => {
    const other = start({ nick: 'other', port: await freePort() })
    await expect(other.ended).rejects.toThrow(/ircbot: 127\.0\.0\.1:\d+: .*ECONNREFUSED/)
  })
})
