import { describe, expect, test } from 'vitest'
import { type Dict, fromPlain, type Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import slack from './module.ts'

const asked: [Value, Dict][] = []
const others = (answer: unknown, options: Record<string, Value> = {}) => ({
  'config.get': ([key]: readonly Value[]) => options[String(key)] ?? '',
  'http.query': ([url]: readonly Value[], kwargs: unknown) => {
    asked.push([url!, fromPlain(kwargs) as Dict])
    return fromPlain(answer)
  },
})

describe('slack', () => {
  test('posts to a channel, whose hash may be left out', async () => {
    const kwargs = { channel: 'dev', message: 'done & well', from_name: 'CI', api_key: 'k' }
    const trial = { kwargs, others: others({ status: 200, dict: { ok: true, channel: 'C1' } }) }
    expect(await tryFunction(slack, 'post_message', trial)).toBe(true)
    const [url, sent] = asked.at(-1)!
    expect(url).toBe('https://slack.com/api/chat.postMessage')
    expect(sent.get('data')).toBe('channel=%23dev&username=CI&text=done+%26+well&attachments=%5B%5D&blocks=%5B%5D')
  })

  test("reports Slack's error", async () => {
    const kwargs = { channel: '#dev', message: 'x', from_name: 'CI', api_key: 'k' }
    const trial = { kwargs, others: others({ status: 200, dict: { ok: false, error: 'not_in_channel' } }) }
    expect(await tryFunction(slack, 'post_message', trial)).toEqual(
      fromPlain({ message: 'not_in_channel', res: false }),
    )
  })

  test('calls the configured webhook', async () => {
    const trial = { kwargs: { message: 'hi' }, others: others({ status: 200 }, { 'slack:hook': 'T/B/x' }) }
    expect(await tryFunction(slack, 'call_hook', trial)).toBe(true)
    const [url, sent] = asked.at(-1)!
    expect([url, sent.get('data')]).toEqual([
      'https://hooks.slack.com/services/T/B/x',
      'payload=%7B%22text%22%3A+%22hi%22%7D',
    ])
  })

  test('says that a key is missing', async () => {
    const trial = { kwargs: { channel: 'a', message: 'b', from_name: 'c' }, others: others({}) }
    await expect(tryFunction(slack, 'post_message', trial)).rejects.toThrow('No Slack API key found.')
  })
})
