import type { Command, JsonFlags } from '../cli/context.ts'
import { observationsCall } from '../../mirror/observations/open-questions.ts'
import { callMirror } from '../open-mirror.ts'
import { formatObservations } from '../output/observations.ts'
import { writeResult } from '../output/format/json.ts'

export const observations: Command<JsonFlags> = async (context) => {
  const accounts = await callMirror(context, observationsCall, ({ account }) => ({ account }))
  return writeResult(context, { accounts }, (out) => formatObservations(accounts, out))
}
