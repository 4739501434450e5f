// Notices of an autoscaling service, as Amazon SNS posts them: the hook becomes an event, a reactor in Python reads it, deletes the key
// of an instance that is gone, and sends mail. AUTOSCALE_SLS names the file of ec2-autoscale-reactor, which needs python3-m2crypto.
import { execFileSync } from 'node:child_process'
import { createSign } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toPlain } from '../../src/data/mod.ts'
import { until } from '../until.ts'
import { type ApiAnswer, ApiSite } from './api-site.ts'
import { MailServer } from './mail-server.ts'

const FORMULA = process.env['AUTOSCALE_SLS']
const BEFORE = process.env['PYTHONPATH']

const REACTOR = `#!py
import json
import salt.utils.smtp as smtp


def run():
    notice = data["post"]
    if data["headers"].get("X-Amz-Sns-Message-Type") == "SubscriptionConfirmation":
        smtp.send({"smtp.subject": "Confirm " + notice["TopicArn"], "smtp.content": notice["SubscribeURL"]}, __opts__)
        return {}
    if "termination" not in notice["Subject"]:
        return {}
    return {"gone": {"wheel.key.delete": [{"match": json.loads(notice["Message"])["EC2InstanceId"]}]}}
`

/** In place of the package that fetches the certificate from Amazon. */
const REQUESTS = `
class _Answer:
    def __init__(self, text):
        self.text = text


def request(method, url):
    with open(__file__.replace("requests.py", "sns.crt"), encoding="utf-8") as certificate:
        return _Answer(certificate.read())
`

let api: ApiSite
let mail: MailServer
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brine-autoscale-'))
  mkdirSync(join(folder, 'lib'))
  writeFileSync(join(folder, 'own.sls'), REACTOR)
  writeFileSync(join(folder, 'lib/requests.py'), REQUESTS)
  const names = [
    '-keyout',
    join(folder, 'sns.key'),
    '-out',
    join(folder, 'lib/sns.crt'),
    '-subj',
    '/CN=sns.amazonaws.com',
  ]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...names], { stdio: 'ignore' })
  if (FORMULA) process.env['PYTHONPATH'] = [join(folder, 'lib'), ...(BEFORE ? [BEFORE] : [])].join(delimiter)
  mail = await MailServer.open()
  api = await ApiSite.open(['i-0a', 'i-0b', 'i-0c'], {
    rest_cherrypy: { webhook_disable_auth: true },
    reactor: [
      { 'salt/netapi/hook/own': [join(folder, 'own.sls')] },
      ...(FORMULA ? [{ 'salt/netapi/hook/ec2/autoscale': [FORMULA] }] : []),
    ],
    'smtp.from': 'salt@example.com',
    'smtp.to': 'one@example.com; two@example.com',
    'smtp.host': '127.0.0.1',
    'smtp.port': mail.port,
    'ec2.autoscale': { provider: 'my-ec2-config' },
  })
})

afterAll(async () => {
  if (BEFORE === undefined) delete process.env['PYTHONPATH']
  else process.env['PYTHONPATH'] = BEFORE
  await api.close()
  await mail.close()
  rmSync(folder, { recursive: true })
})

const TOPIC = 'arn:aws:sns:us-east-1:123456789012:scaling'

const CONFIRMATION = {
  Type: 'SubscriptionConfirmation',
  MessageId: '165545c9',
  TopicArn: TOPIC,
  SubscribeURL: 'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f',
}

/** A signed notice about an instance. */
function noticeOf(instance: string, what: string): Record<string, string> {
  const signed = {
    Message: JSON.stringify({ EC2InstanceId: instance, Event: `autoscaling:EC2_INSTANCE_${what}` }),
    MessageId: '22b80b92',
    Subject: `Auto Scaling: ${what} for group "web"`,
    Timestamp: '2026-11-16T12:00:00.000Z',
    TopicArn: TOPIC,
    Type: 'Notification',
  }
  const text = Object.entries(signed).map(([name, value]) => `${name}\n${value}\n`)
  const Signature = createSign('RSA-SHA1')
    .update(text.join(''))
    .sign(readFileSync(join(folder, 'sns.key')), 'base64')
  return { ...signed, Signature, SigningCertURL: 'https://sns.us-east-1.amazonaws.com/sns.pem' }
}

/** Post as SNS does: JSON that calls itself text. */
const post = (path: string, notice: Record<string, string>): Promise<ApiAnswer> =>
  api.ask(path, {
    headers: { 'Content-Type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': notice['Type']! },
    body: notice,
  })

async function isKnown(id: string): Promise<boolean> {
  const token = await api.logIn('admin')
  const { json } = await api.ask('/keys', { token })
  return json.return.minions.includes(id)
}

const isGone = async (id: string): Promise<boolean> => !(await isKnown(id))

/** Return the reactor's notes about a hook, as text. */
const reactionsTo = async (tag: string): Promise<string> =>
  JSON.stringify(toPlain((await api.master.run('reactor.trace', [tag])).value))

describe('A notice of an autoscaling service', () => {
  test('that asks to confirm a subscription reaches the administrators by mail', async () => {
    expect((await post('/hook/own', CONFIRMATION)).json).toEqual({ success: true })
    await until('the mail is there', () => mail.mails.length > 0)
    const [{ from, to, text }] = mail.mails.splice(0) as [(typeof mail.mails)[0]]
    expect([from, to]).toEqual(['salt@example.com', ['one@example.com', 'two@example.com']])
    expect(text).toContain(`Subject: Confirm ${TOPIC}\n`)
    expect(text).toContain(`\n\n${CONFIRMATION.SubscribeURL}`)
  })

  test('that brings lines of its own adds no header to the mail', async () => {
    const TopicArn = 'x\r\nBcc: victim@example.com\r\n\r\nStört'
    await post('/hook/own', { ...CONFIRMATION, TopicArn })
    await until('the mail is there', () => mail.mails.length > 0)
    const [{ to, text }] = mail.mails.splice(0) as [(typeof mail.mails)[0]]
    expect(to).toEqual(['one@example.com', 'two@example.com'])
    expect(text).toContain('Subject: Confirm x Bcc: victim@example.com Stört\n')
    expect(text).toContain('charset=utf-8')
  })

  test('of a termination deletes the key of the instance', async () => {
    expect(await isKnown('i-0a')).toBe(true)
    await post('/hook/own', noticeOf('i-0a', 'termination'))
    await until('the key is gone', () => isGone('i-0a'))
    expect(await isKnown('i-0b')).toBe(true)
  })
})

describe.skipIf(!FORMULA)('ec2-autoscale-reactor', () => {
  const HOOK = '/hook/ec2/autoscale'

  test('sends the request to confirm a subscription by mail', async () => {
    await post(HOOK, CONFIRMATION)
    await until('the mail is there', () => mail.mails.length > 0)
    const { text } = mail.mails.shift()!
    expect(text).toContain('Subject: EC2 Autoscale Subscription (via Salt Reactor)\n')
    expect(text).toContain('Action=ConfirmSubscription&Token=2336412f')
  })

  test('deletes the key of an instance that is terminated', async () => {
    await post(HOOK, noticeOf('i-0b', 'termination'))
    await until('the key is gone', () => isGone('i-0b'))
  })

  test.each([
    ['a wrong signature', { Signature: Buffer.alloc(256).toString('base64') }, 'EC2 Autoscale Signature Error'],
    ['a foreign certificate', { SigningCertURL: 'https://evil.example/x' }, 'EC2 Autoscale SigningCertURL Error'],
  ])('reports %s by mail and deletes nothing', async (_, wrong, subject) => {
    await post(HOOK, { ...noticeOf('i-0c', 'termination'), ...wrong })
    await until('the mail is there', () => mail.mails.length > 0)
    expect(mail.mails.shift()!.text).toContain(subject)
    expect(await isKnown('i-0c')).toBe(true)
  })

  test('fails at a launch, as with Salt on Python 3: its code is of Python 2', async () => {
    await post(HOOK, noticeOf('i-0d', 'launch'))
    await until('the failure is noted', async () =>
      /has no attribute .{0,2}iteritems/.test(await reactionsTo('salt/netapi/hook/*')),
    )
  })
})
