/** A service of one task, as `plinth job init -short` writes it. */
export const shortJob = `job "example" {
  group "cache" {
    network {
      port "db" {
        to = 6379
      }
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "sh"
        args    = ["-c", "echo listening on $NOMAD_ADDR_db; exec sleep 3600"]
      }

      resources {
        cpu    = 100
        memory = 64
      }
    }
  }
}
`

/** The same with explanations, as `plinth job init` writes it. */
export const longJob = `# A job says what should run. Register it with: plinth job run FILE
job "example" {
  # A service runs until it is stopped; "batch", "system" and "sysbatch" are the other types.
  type = "service"

  # A new version replaces allocations one by one, each after it has been healthy for ten seconds. A version that does
  # not become healthy is given up, and the one before is taken back.
  update {
    max_parallel      = 1
    min_healthy_time  = "10s"
    healthy_deadline  = "3m"
    progress_deadline = "10m"
    auto_revert       = true
    canary            = 0
  }

  # A drain of their node moves allocations one by one.
  migrate {
    max_parallel     = 1
    health_check     = "task_states"
    min_healthy_time = "10s"
    healthy_deadline = "5m"
  }

  # The tasks of a group run together on one node.
  group "cache" {
    count = 1

    # Ports are chosen on the node; a task finds this one in NOMAD_PORT_db and NOMAD_ADDR_db.
    network {
      port "db" {
        to = 6379
      }
    }

    # A task that fails is restarted on its node so often, then its allocation fails and is placed again.
    restart {
      attempts = 2
      interval = "30m"
      delay    = "15s"
      mode     = "fail"
    }

    # Only nodes that meet all constraints are chosen; affinities and spreads say what is better.
    constraint {
      attribute = "\${attr.kernel.name}"
      value     = "linux"
    }

    ephemeral_disk {
      size = 300
    }

    task "server" {
      driver = "raw_exec"

      config {
        command = "sh"
        args    = ["-c", "echo listening on $NOMAD_ADDR_db; exec sleep 3600"]
      }

      env {
        GREETING = "hello"
      }

      logs {
        max_files     = 10
        max_file_size = 10
      }

      # CPU in MHz, memory in MiB: room for it is kept on the node.
      resources {
        cpu    = 100
        memory = 64
      }
    }
  }
}
`
