// Texts of a machine over SSH. Templates run here, with functions that reach other machines, so a text that the machine may have written, or
// a caller without the rights of the master's owner, is not rendered as one.
import { join, normalize } from 'node:path/posix'
import { type Asker, askedBy, asker } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { type Host, isWithin } from '../host/mod.ts'
import { type Rendered, type RenderOptions, renderText } from './pipeline.ts'

export interface TextOfFunction extends RenderOptions {
  text: string
  /** Path or URL of the file that the text was read from; without it the text is an argument. */
  from?: string | undefined
}

/** Render a text that a function of a machine was given or has read. */
export function renderForFunction(host: Host, { text, from, ...options }: TextOfFunction): Promise<Rendered> {
  const who = host.remote === undefined ? asker() : whoseText(from, options.opts)
  return askedBy(who, () => renderText(text, options))
}

/** The copies of the file server are in the cache on this side, into which the machine does not write. */
function whoseText(from: string | undefined, opts: Dict): Asker {
  if (from === undefined) return asker() === 'owner' ? 'owner' : 'target'
  const isOfTree = from.startsWith('salt://') || isWithin(normalize(from), join(option(opts, 'cachedir'), 'files'))
  return isOfTree ? asker() : 'target'
}
