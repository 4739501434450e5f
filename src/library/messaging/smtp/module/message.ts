// A mail as text: headers, a plain body, and files attached to it.

export interface Attachment {
  name: string
  content: Uint8Array
}

export interface Mail {
  subject: string
  sender: string
  recipient: string
  body: string
  /** The subtype of the text: plain, html, … */
  subtype?: string
  attachments: readonly Attachment[]
  /** Something that occurs in no part. */
  boundary: string
}

const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

const lines76 = (text: string): string => text.replace(/.{76}/g, '$&\n')

const header = (text: string): string => (isAscii(text) ? text : `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`)

/** The headers of a text and the text, in an encoding that every server passes on. */
function textPart(body: string, subtype: string): string[] {
  if (isAscii(body)) {
    return [
      `Content-Type: text/${subtype}; charset="us-ascii"`,
      'MIME-Version: 1.0',
      'Content-Transfer-Encoding: 7bit',
      body,
    ]
  }
  const encoded = `${lines76(Buffer.from(body).toString('base64'))}\n`
  return [
    `Content-Type: text/${subtype}; charset="utf-8"`,
    'MIME-Version: 1.0',
    'Content-Transfer-Encoding: base64',
    encoded,
  ]
}

function filePart({ name, content }: Attachment): string {
  return [
    `Content-Type: application/octet-stream; Name="${name}"`,
    'MIME-Version: 1.0',
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${name}"`,
    '',
    `${lines76(Buffer.from(content).toString('base64'))}\n`,
  ].join('\n')
}

export function mailText({ subject, sender, recipient, body, subtype = 'plain', attachments, boundary }: Mail): string {
  const about = [`Subject: ${header(subject)}`, `From: ${header(sender)}`, `To: ${header(recipient)}`]
  const part = textPart(body, subtype)
  if (attachments.length === 0) return [...part.slice(0, 3), ...about, '', part[3]].join('\n')
  const parts = [[...part.slice(0, 3), '', part[3]].join('\n'), ...attachments.map(filePart)]
  const head = [`Content-Type: multipart/mixed; boundary="${boundary}"`, 'MIME-Version: 1.0', ...about, '']
  return [...head, ...parts.map((text) => `--${boundary}\n${text}`), `--${boundary}--`, ''].join('\n')
}
