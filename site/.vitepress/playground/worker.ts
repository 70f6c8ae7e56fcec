import { playgroundSession, type Question } from './session.ts'

const answer = playgroundSession()

self.onmessage = ({ data }: MessageEvent<Question>) => {
  try {
    self.postMessage(answer(data))
  } catch (error) {
    self.postMessage({ id: data.id, failed: error instanceof Error ? error.message : String(error) })
  }
}
