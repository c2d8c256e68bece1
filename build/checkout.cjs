'use strict'
/** What the command does only in a checkout. Any Node from 20 on reads it; what is not always needed is loaded when it is. */
const { existsSync } = require('node:fs')
const { isNewer, itsNode, timeOfBuild } = require('./prepare.cjs')

/** Tells the process of the checkout's Node who started it. */
const LAUNCHER = 'HEADCOUNT_LAUNCHER'
const LAUNCHER_POLL_MS = 1000

/** Calls the same command with the Node of the checkout. @returns whether it has one */
function startWithItsNode(file) {
  if (!existsSync(itsNode)) return false
  const { spawn } = require('node:child_process')
  const env = { ...process.env, [LAUNCHER]: String(process.pid) }
  const child = spawn(itsNode, ['--', file, ...process.argv.slice(2)], { stdio: 'inherit', env })
  // What comes to this process alone must reach the other. A terminal and systemd tell both: it may have ended by then,
  // and takes what comes twice within half a second for one.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => setTimeout(() => child.kill(signal), 100))
  child.on('exit', (code, signal) => {
    for (const handed of signals) process.removeAllListeners(handed)
    if (signal === null) process.exitCode = code
    else process.kill(process.pid, signal)
  })
  return true
}

/** Where this process was started by such a call: ends it as SIGTERM does when the other process is gone, as by SIGKILL. */
function endWithLauncher() {
  const launcher = Number(process.env[LAUNCHER])
  // It is no setting.
  delete process.env[LAUNCHER]
  if (!launcher) return
  const timer = setInterval(() => {
    if (process.ppid === launcher) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, LAUNCHER_POLL_MS)
  timer.unref()
}

/** What to say of the build; fatal where there is none. */
function problemOfBuild() {
  const time = timeOfBuild()
  if (time === null) {
    const text =
      'headcount is not built here: npm ci builds it (with --omit=dev there is no compiler: install what npm run package makes)'
    return { text, fatal: true }
  }
  const isOld = ['src', 'migrations'].some((path) => isNewer(path, time))
  const text = isOld
    ? 'headcount: the sources are newer than this build of them; npm run build makes another'
    : null
  return { text, fatal: false }
}

module.exports = { endWithLauncher, problemOfBuild, startWithItsNode }
