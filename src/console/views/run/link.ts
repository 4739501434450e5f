// The address of the form for a command, for links from other views.
import { href } from '../../route.ts'
import type { Command } from './command.ts'

/** The address of the form with a command in it. */
export function runHref({ family, function: name, target, targetType, args, kwargs, batch }: Command): string {
  const { test, ...others } = kwargs
  return href('run', {
    family: family === 'execution' ? null : family,
    function: name,
    target: target === undefined ? null : typeof target === 'string' ? target : target.join(','),
    targetType: target === undefined ? null : typeof target === 'string' ? targetType : 'list',
    args: args.length > 0 ? JSON.stringify(args) : null,
    kwargs: Object.keys(others).length > 0 ? JSON.stringify(others) : null,
    test: test === undefined || test === false ? 'no' : null,
    batch: batch ?? null,
  })
}
