@rem "npm start" runs "exec node ...", so that a signal reaches the server. The shell of Windows has no exec: it runs this file.
@%*
