// `http_yaml`: the YAML that a web server answers.
import { defineExtPillar } from '../../../sdk/mod.ts'
import { ANSWER_ARGS, answerFor } from './pillar-answer.ts'

export default defineExtPillar({
  name: 'http_yaml',
  doc: 'The YAML that a web server answers.',
  args: ANSWER_ARGS,
  run: (ctx, args) => answerFor(ctx, 'yaml', args),
})
