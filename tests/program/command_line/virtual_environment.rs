//! Installation of the system package for virtual environments by `make` (C24): it is
//! announced, and `make` never prompts for a password.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use support::project;
use tempfile::TempDir;

/// Writes a program into a folder of the PATH of the test.
fn program(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs `make .venv-test/ready` without the Python module venv, with the scripts as
/// `sudo` and `apt-get`. Returns its success, its output, and the calls of `sudo` and
/// `apt-get`.
fn make(user: &str, sudo: &str) -> (bool, String, String) {
    let folder = TempDir::new().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let requirements = folder.path().join("tests/python/requirements");
    fs::create_dir_all(&requirements).unwrap();
    fs::copy(project().join("Makefile"), folder.path().join("Makefile")).unwrap();
    for name in ["pyproject.toml", "locked.txt", "uv.txt"] {
        fs::write(requirements.join(name), "").unwrap();
    }
    fs::create_dir_all(folder.path().join(".venv")).unwrap();
    fs::write(folder.path().join(".venv/of-the-reader"), "").unwrap();
    // It has no ensurepip before apt-get is called, and creates programs without effect.
    let python = "case \"$*\" in\n\
        *ensurepip*) grep -q '^apt-get install' \"$CALLS\" ;;\n\
        *'-m venv'*) for last; do :; done; mkdir -p \"$last/bin\"\n\
            printf '#!/bin/sh\\necho called \"$@\" >>\"$CALLS\"\\n' >\"$last/bin/pip\"\n\
            chmod +x \"$last/bin/pip\"\n\
            cp \"$last/bin/pip\" \"$last/bin/uv\"\n\
            cp \"$last/bin/pip\" \"$last/bin/python\" ;;\n\
        esac";
    program(&bin, "python3", python);
    program(&bin, "id", &format!("echo {user}"));
    program(&bin, "apt-get", "echo apt-get \"$@\" >>\"$CALLS\"");
    program(
        &bin,
        "sudo",
        &format!("echo sudo \"$@\" >>\"$CALLS\"\n{sudo}"),
    );
    let calls = folder.path().join("calls");
    fs::write(&calls, "").unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let made = Command::new("make")
        .args([".venv-test/ready", "PYTHON=python3"])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("CALLS", &calls)
        .env_remove("MAKEFLAGS")
        .output()
        .unwrap();
    assert!(folder.path().join(".venv/of-the-reader").exists());
    let said = [made.stdout, made.stderr].concat();
    let calls = fs::read_to_string(calls).unwrap();
    (
        made.status.success(),
        String::from_utf8(said).unwrap(),
        calls,
    )
}

#[test]
fn without_rights_the_command_is_printed_and_nothing_is_installed() {
    let (is_done, said, calls) = make("1000", "exit 1");
    assert!(!is_done, "{said}");
    assert!(said.contains("sudo apt-get install python3-venv"), "{said}");
    assert!(!calls.contains("apt-get install"), "{calls}");
    let sudo = calls.lines().filter(|call| call.starts_with("sudo"));
    assert!(
        sudo.clone().all(|call| call.starts_with("sudo -n ")),
        "{calls}"
    );
}

#[test]
fn with_rights_the_package_is_announced_and_installed() {
    let sudo = "shift\nexec \"$@\"";
    for (user, script) in [("0", "exit 1"), ("1000", sudo)] {
        let (is_done, said, calls) = make(user, script);
        assert!(is_done, "{said}");
        assert!(
            calls.contains("apt-get install -q -y --no-install-recommends python3-venv\n"),
            "{calls}"
        );
        let announced = said.find("installing system packages: ").unwrap();
        assert!(
            announced < said.find("installing the packages core").unwrap(),
            "{said}"
        );
        for options in ["-r tests/python/requirements/uv.txt", "pyproject.toml:core"] {
            let call = calls.lines().find(|call| call.ends_with(options)).unwrap();
            assert!(call.starts_with("called ") && call.contains(" --require-hashes "));
        }
        let sudo = calls.lines().filter(|call| call.starts_with("sudo"));
        assert!(
            sudo.clone().all(|call| call.starts_with("sudo -n ")),
            "{calls}"
        );
        assert_eq!(sudo.count() > 0, user != "0", "{calls}");
    }
}

#[test]
fn make_test_does_not_touch_the_environment_of_the_readme() {
    let dry = |target: &str| {
        let make = Command::new("make")
            .args(["-n", target])
            .current_dir(project())
            .env_remove("MAKEFLAGS")
            .output()
            .unwrap();
        String::from_utf8(make.stdout).unwrap()
    };
    for target in ["queries", "question-list", "clean"] {
        let text = dry(target);
        assert!(text.contains(".venv-test"), "{text}");
        let is_readers = |word: &str| word == ".venv" || word.starts_with(".venv/");
        assert!(!text.split_whitespace().any(is_readers), "{text}");
    }
}
